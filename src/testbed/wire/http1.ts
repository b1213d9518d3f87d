import type { WireAnswer } from './answer.ts';

/** A header line's name and value, or a whole line of its own making. */
export type HeaderLine = readonly [name: string, value: string] | string;

export interface Http1Request {
  readonly method?: string;
  /** What stands between method and version, byte for byte: one character a byte (latin1). */
  readonly target: string;
  readonly headers: readonly HeaderLine[];
}

/** An HTTP/1.1 request as it is written, nothing escaped and nothing added but `Connection: close`. */
export function http1Request({ method = 'GET', target, headers }: Http1Request): Buffer {
  const lines = headers.map((line) => (typeof line === 'string' ? line : `${line[0]}: ${line[1]}`));
  const text = [`${method} ${target} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n');
  return Buffer.from(text, 'latin1');
}

/** The final answer in `received`; undefined while it is incomplete. Bodies have a length: the testbed sends no chunks. */
export function readHttp1(received: Buffer): WireAnswer | undefined {
  const text = received.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status === undefined) return undefined;
  if (status.startsWith('1')) return readHttp1(received.subarray(end + 4));
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const body = received.subarray(end + 4);
  return body.length < length ? undefined : { status, body: body.subarray(0, length).toString() };
}
