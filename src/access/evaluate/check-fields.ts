import { hasControl, isToken } from '../../lib/header-text.ts';
import { lowerCase } from '../model/bytes.ts';
import type { Outcome } from '../outcome.ts';
import type { HttpRequest } from '../request.ts';
import { isLength } from './head-text.ts';

const invalidField: Outcome = { kind: 'reset', details: 'http2.invalid.header.field' };

const authorityText = /^[!$%&'()*+,\-.0-9:;=A-Z[\]_a-z~]+$/;

/** The codec of HTTP/2 has another meaning for the greatest number of 64 bits. */
const mostOfLength = 0xffff_ffff_ffff_fffen;

/** Headers of HTTP/1 that are for one connection. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** The answer of the codec of HTTP/2 to the text of single fields; undefined where it reads them. */
export function checkFields(request: HttpRequest): Outcome | undefined {
  const { method, path, authority, headers, told, unseen } = request;
  const isUntold = authority === '' && told !== undefined;
  if (!isToken(method) || hasControl(path) || /[ \t]/.test(path)) return invalidField;
  if (!isUntold && !authorityText.test(authority)) return invalidField;
  // What a proxy has sent on, it has read; a change of the protocol it cannot send on.
  if (unseen !== undefined) return headers.some(isLeftOver) ? invalidField : undefined;
  let hasHost = false;
  let hasLength = false;
  for (const [raw, value] of headers) {
    if (!isToken(raw) || hasControl(value)) return invalidField;
    const name = lowerCase(raw);
    if (ofConnection.has(name) || (name === 'te' && lowerCase(value) !== 'trailers')) return invalidField;
    if (name === 'host') {
      if (hasHost || !authorityText.test(value)) return invalidField;
      hasHost = true;
    }
    if (name === 'content-length') {
      if (hasLength || !isLength(value, mostOfLength)) return invalidField;
      hasLength = true;
    }
  }
  return undefined;
}

/** Of the headers for one connection a proxy leaves a change of the protocol, and a `te` without a value. */
function isLeftOver([name, value]: HttpRequest['headers'][number]): boolean {
  return name === 'upgrade' || (name === 'te' && value === '');
}
