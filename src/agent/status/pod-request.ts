import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { firstAnswer } from '../../lib/first-answer.ts';

/** One GET of something that this pod serves. */
export interface PodRequest {
  /** Connected; is closed with the answer. */
  readonly socket: Socket;
  /** The certificate is not verified, as the kubelet verifies none. */
  readonly isTls: boolean;
  /** What the request names as its host. */
  readonly host: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Of a longer body: `cut` gives the beginning, `refuse` throws. */
  readonly maxBytes: number;
  readonly onLonger: 'cut' | 'refuse';
  readonly signal: AbortSignal;
}

export interface PodAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks on a connection of its own, and closes it: a kept one could be closed by the application just as it is used again. */
export function fetchFromPod(asked: PodRequest): Promise<PodAnswer> {
  const { socket, isTls, host, path, headers, signal } = asked;
  return new Promise<PodAnswer>((resolve, reject) => {
    const name = host.replace(/:\d+$/, '');
    const secured = isTls
      ? connectTls({ socket, rejectUnauthorized: false, ...(/^[\d.]+$|[[:]/.test(name) ? {} : { servername: name }) })
      : socket;
    secured.on('error', reject);
    const outgoing = request({
      createConnection: () => secured,
      path,
      headers: { ...headers, host, connection: 'close' },
      maxHeaderSize: 16_384,
      signal,
    });
    firstAnswer(outgoing).then((response) => {
      const parts: Buffer[] = [];
      let length = 0;
      const done = (): void =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts).subarray(0, asked.maxBytes),
        });
      response.on('data', (part: Buffer) => {
        parts.push(part);
        length += part.length;
        if (length <= asked.maxBytes) return;
        if (asked.onLonger === 'cut') done();
        else reject(new Error(`the answer is longer than ${asked.maxBytes} bytes`));
        socket.destroy();
      });
      response.once('end', done);
      response.on('error', reject);
    }, reject);
    outgoing.end();
  }).finally(() => socket.destroy());
}
