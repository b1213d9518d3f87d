import { hasControl, isToken } from '../../lib/header-text.ts';
import { lowerCase } from '../model/bytes.ts';
import { readConnectionHeader, wantedProtocol } from '../model/connection-header.ts';
import { authorityOf } from '../model/host-lines.ts';
import type { Outcome } from '../outcome.ts';
import type { HttpRequest } from '../request.ts';
import { answered } from './answer.ts';

type Lines = HttpRequest['headers'];

const none: readonly string[] = [];

const codecError = answered(400, 'http1.codec_error');
const invalidCharacters = answered(400, 'http1.invalid_characters');
const lineBreak: Outcome = { kind: 'unmodelled', at: 'a line break in a header' };

/** The answer of the codec of HTTP/1 to the text of the headers; undefined where it reads them. */
export function checkHeaderText(authority: string, headers: Lines): Outcome | undefined {
  let lengths = 0;
  if (hasControl(authority)) return /[\r\n]/.test(authority) ? lineBreak : invalidCharacters;
  for (const [name, value] of headers) {
    if (!isToken(name)) return /^[^:]+:/.test(name) || /[\r\n]/.test(name) ? lineBreak : codecError;
    if (hasControl(value)) return /[\r\n]/.test(value) ? lineBreak : invalidCharacters;
    if (name.length !== 14 || lowerCase(name) !== 'content-length') continue;
    lengths += 1;
    if (lengths > 1 || !isLength(value)) return codecError;
  }
  return undefined;
}

/** A number that is no greater than `most`. */
export function isLength(value: string, most = 0xffff_ffff_ffff_ffffn): boolean {
  const [, digits] = /^[ \t]*(\d+)[ \t]*$/.exec(value) ?? [];
  return digits !== undefined && BigInt(digits) <= most;
}

const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection']);

/** What frames a body, and what is for this connection alone. */
export function checkFraming({ headers }: HttpRequest): Outcome | undefined {
  if (!headers.some(([name]) => framing.has(lowerCase(name)))) return undefined;
  const codings = linesOf(headers, 'transfer-encoding');
  if (codings.length > 0) {
    if (linesOf(headers, 'content-length').length > 0) {
      return answered(400, 'http1.content_length_and_chunked_not_allowed');
    }
    const [coding = '', ...others] = codings;
    const isChunked = others.length === 0 && /^[ \t]*chunked[ \t]*$/i.test(coding);
    if (!isChunked) return answered(501, 'http1.invalid_transfer_encoding');
  }
  if (wantedProtocol(linesOf(headers, 'connection'), linesOf(headers, 'upgrade')) !== undefined) return undefined;
  const { isRefused, removed } = readConnectionHeader(linesOf(headers, 'connection'));
  const isLong = removed.includes('te') && linesOf(headers, 'te').join(',').length >= longTe;
  return isRefused || isLong ? answered(400, 'http1.connection_header_rejected') : undefined;
}

/** Envoy doesn't read a `te` of so many bytes and more, if `connection` names it. */
const longTe = 256;

/** Whether the client takes the host away again. */
export function removesHost({ headers }: HttpRequest): boolean {
  const lines = linesOf(headers, 'connection');
  if (lines.length === 0 || !readConnectionHeader(lines).removed.includes('host')) return false;
  return wantedProtocol(lines, linesOf(headers, 'upgrade')) === undefined;
}

/** Values of a header (lower case) of a request as it came. */
export function linesOf(headers: Lines, name: string): readonly string[] {
  let found: string[] | undefined;
  for (const line of headers) {
    if (line[0].length !== name.length || lowerCase(line[0]) !== name) continue;
    found ??= [];
    found.push(line[1]);
  }
  return found ?? none;
}

/** Whether the lines for the host hold nothing that no authority has. */
export function isAuthority(request: HttpRequest): boolean {
  return /^[!$%&'()*+,\-.0-9:;=@A-Z[\]_a-z~]*$/.test(authorityOf(request));
}

/** Host and port, as CONNECT wants them. */
export function isConnectTarget(path: string): boolean {
  const [, port] = /^(?:\[[0-9a-fA-F:.]+\]|[^/:?#[\]]+):(\d{1,5})$/.exec(path) ?? [];
  return port !== undefined && Number(port) < 65_536;
}
