import type { HttpManager } from '../lift/http-manager.ts';
import { lowerCase } from '../model/bytes.ts';
import { isOneLine } from '../model/one-line-headers.ts';
import type { Outcome } from '../outcome.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { answered } from './answer.ts';
import { closed } from './closed.ts';

/** Limits of a connection manager for the head of a request. */
export type HeadLimits = Pick<HttpManager, 'maxHeaders' | 'maxHeadBytes'>;

/** HPACK decodes no longer name or value, and the connection ends. */
const mostOfOneString = 65_536;

/** Beside the values of method, path and authority: `:method`, `:scheme`, `:path` and `:authority` with `http`. */
const ofPseudoHeaders = 7 + 11 + 5 + 10;

/** Beside the same values: the blanks, `HTTP/1.1`, `host: ` and the ends of the three lines. */
const ofRequestLine = 22;

/** Lines that a proxy may add and no prediction tells: of tracing, timeouts, the client's address and an empty body. */
export const unseenOfProxy = 12;

/** As long as such a line, or a value that only a proxy knows, may be. */
const mostOfUnseen = 512;

/** Whether a request may come near the limits: only then it is measured exactly. */
export function isNearLimits(request: HttpRequest, { maxHeaders, maxHeadBytes }: HeadLimits): boolean {
  const { method, path, authority, headers, unseen = 0, opaque } = request;
  let bytes = method.length + path.length + authority.length + ofPseudoHeaders + 1;
  bytes += (unseen + (opaque?.length ?? 0)) * mostOfUnseen;
  for (const [name, value] of headers) bytes += name.length + value.length + 4;
  return headers.length + 4 + unseen > maxHeaders || bytes > Math.min(maxHeadBytes, mostOfOneString);
}

/** The answer to a head that is too large; undefined where the codec takes it. */
export function checkSize(
  protocol: Connection['protocol'],
  request: HttpRequest,
  limits: HeadLimits,
  isSecure: boolean,
): Outcome | undefined {
  if (protocol === 'h2' && hasLongString(request)) {
    return closed('read', { protocol, isShakingHands: false }, 'codec_error:The_user_callback_function_failed');
  }
  const bytes = protocol === 'h2' ? bytesOfFields(request, isSecure) : bytesOfText(request);
  const { unseen = 0, opaque = [] } = request;
  if (bytes > limits.maxHeadBytes) {
    return protocol === 'h2'
      ? { kind: 'reset', details: 'http2.header_list_size_too_large' }
      : answered(431, 'http1.headers_too_large');
  }
  if (bytes + (unseen + opaque.length) * mostOfUnseen > limits.maxHeadBytes) {
    return { kind: 'unmodelled', at: 'the size of what the proxies before it add to the headers' };
  }
  return undefined;
}

/** The answer to too many header lines; undefined where the codec takes them. */
export function checkLines(
  protocol: Connection['protocol'],
  request: HttpRequest,
  { maxHeaders }: HeadLimits,
): Outcome | undefined {
  const lines = countLines(protocol, request);
  if (lines > maxHeaders) {
    return protocol === 'h2'
      ? { kind: 'reset', details: 'http2.too_many_headers' }
      : answered(431, 'http1.too_many_headers');
  }
  const { unseen = 0 } = request;
  if (lines + unseen > maxHeaders) {
    return { kind: 'unmodelled', at: 'the number of header lines that the proxies before it add' };
  }
  return undefined;
}

/**
 * Whether Envoy reads the first line of a head that is too large before it counts so many bytes, over HTTP/1.1. It reads parts of
 * 16 KiB at most, and where they end depends on the packets.
 */
export function endsFirstLine({ method, path }: HttpRequest, maxHeadBytes: number): 'in time' | 'too late' | 'unknown' {
  const length = method.length + path.length + ' '.length + ' HTTP/1.1\r\n'.length;
  if (length > maxHeadBytes) return 'too late';
  return length + 16_384 <= maxHeadBytes ? 'in time' : 'unknown';
}

function hasLongString({ path, authority, headers }: HttpRequest): boolean {
  const isLong = (text: string): boolean => text.length > mostOfOneString;
  return isLong(path) || isLong(authority) || headers.some(([name, value]) => isLong(name) || isLong(value));
}

/** Every byte up to the end of the head, as Envoy writes it, too: a proxy before has made one line of some headers. */
function bytesOfText(request: HttpRequest): number {
  const { method, path, authority, headers } = request;
  const saved = request.unseen === undefined ? 0 : repeated(headers).reduce((sum, name) => sum + name.length + 3, 0);
  const own = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  return method.length + path.length + authority.length + ofRequestLine + own - saved;
}

/** Names and values, after lines of the same name were joined. */
function bytesOfFields({ method, path, authority, headers }: HttpRequest, isSecure: boolean): number {
  const saved = repeated(headers).reduce((sum, name) => sum + name.length - 1, 0);
  const own = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const rest = method.length + path.length + authority.length + ofPseudoHeaders + (isSecure ? 1 : 0);
  return rest + own - saved;
}

function countLines(protocol: Connection['protocol'], { headers }: HttpRequest): number {
  return headers.length - repeated(headers, protocol === 'h2' ? [] : ['host']).length + (protocol === 'h2' ? 4 : 1);
}

/** The name of each line that joins one before it, or one of `others`. */
function repeated(headers: HttpRequest['headers'], others: readonly string[] = []): readonly string[] {
  const met = new Set(others);
  return headers.flatMap(([raw]) => {
    const name = lowerCase(raw);
    if (!isOneLine(name)) return [];
    if (met.has(name)) return [name];
    met.add(name);
    return [];
  });
}
