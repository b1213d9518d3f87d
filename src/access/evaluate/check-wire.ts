import { hasControl, hasOuterBlanks } from '../../lib/header-text.ts';
import type { HttpManager } from '../lift/http-manager.ts';
import { isSettled } from '../model/normalize-path.ts';
import type { Outcome } from '../outcome.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { answered } from './answer.ts';
import type { Blanks } from './blanks.ts';
import { checkFields } from './check-fields.ts';
import { asksForUdp, checkUdpTarget } from './connect-udp.ts';
import { checkLines, checkSize, endsFirstLine, isNearLimits } from './head-limits.ts';
import { checkFraming, checkHeaderText, isAuthority, isConnectTarget, removesHost } from './head-text.ts';

/** Methods that the codec of HTTP/1 knows; it writes M-SEARCH without its hyphen. */
const knownMethods = new Set(
  (
    'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK BIND REBIND ' +
    'UNBIND ACL REPORT MKACTIVITY CHECKOUT MERGE MSEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE PATCH PURGE MKCALENDAR LINK ' +
    'UNLINK SOURCE QUERY'
  ).split(' '),
);

/** What a connection manager has the codecs refuse. */
export type WireLimits = Pick<HttpManager, 'underscores' | 'maxHeaders' | 'maxHeadBytes'>;

/** As Envoy has them where the configuration says nothing. */
const usual: WireLimits = { underscores: 'keep', maxHeaders: 100, maxHeadBytes: 60 * 1024 };

/** The answer of Envoy's codec and connection manager to a malformed request; undefined if they accept it. */
export function checkWire(
  { protocol, tls }: Pick<Connection, 'protocol' | 'tls'>,
  request: HttpRequest,
  limits: WireLimits = usual,
  blanks?: Blanks,
): Outcome | undefined {
  const isLarge = isNearLimits(request, limits);
  const isRefused = limits.underscores === 'refuse' && hasUnderscore(request, blanks);
  if (protocol === 'h2') {
    const tooLarge = isLarge
      ? (checkSize(protocol, request, limits, tls !== undefined) ?? checkLines(protocol, request, limits))
      : undefined;
    return tooLarge ?? checkFields(request) ?? (isRefused ? unexpectedUnderscore : checkHttp2Message(request, blanks));
  }
  const tooLarge = isLarge ? checkSize(protocol, request, limits, false) : undefined;
  if (tooLarge?.kind === 'answered') return checkFirstLine(request, limits) ?? tooLarge;
  return tooLarge ?? checkText(request) ?? checkHead(request, limits, isLarge, isRefused, blanks);
}

const unexpectedUnderscore: Outcome = { kind: 'reset', details: 'http2.unexpected_underscore' };

/** Its way depends on routes for CONNECT, which are not read. */
const tunnel: Outcome = { kind: 'unmodelled', at: 'CONNECT with a host and a port in place of the path' };

/** The first line of a head that is too large: Envoy looks at it once it has read all of it. */
function checkFirstLine(request: HttpRequest, { maxHeadBytes }: WireLimits): Outcome | undefined {
  const { method, path, unseen } = request;
  // What a proxy has sent on, it has read.
  if (unseen !== undefined) return undefined;
  const isKnown = knownMethods.has(method);
  const isOdd = /[\0- ]/.test(path) || unreadTarget(path) !== undefined;
  if (isKnown && !isOdd && isTarget(request) && !path.includes('\x7f')) return undefined;
  const when = endsFirstLine(request, maxHeadBytes);
  if (when === 'too late') return undefined;
  if (when === 'in time' && !(isKnown && isOdd)) return answered(400, 'http1.codec_error');
  return { kind: 'unmodelled', at: 'the first line of a head that is too large' };
}

function isTarget({ method, path }: HttpRequest): boolean {
  return isUrl(path) || (method === 'CONNECT' && /^[!-~\x7f]+$/.test(path));
}

/** The syntax, which Envoy looks at before it counts anything. */
function checkText(request: HttpRequest): Outcome | undefined {
  const { method, path, headers } = request;
  const unread = unreadTarget(path);
  if (unread !== undefined) return { kind: 'unmodelled', at: unread };
  // Once the whole head is there, what no head may have is the reason that counts.
  if (hasControl(path.replaceAll(/[\r\n]/g, ''))) return answered(400, 'http1.invalid_characters');
  if (!knownMethods.has(method) || !isTarget(request)) return answered(400, 'http1.codec_error');
  // What a proxy has sent on, it has read.
  return request.unseen === undefined ? checkHeaderText(request.authority, headers) : undefined;
}

/** What is looked at while the headers are read, and when all of them are. */
function checkHead(
  request: HttpRequest,
  limits: WireLimits,
  isLarge: boolean,
  isRefused: boolean,
  blanks: Blanks | undefined,
): Outcome | undefined {
  if (isRefused && (!isLarge || isWithin(request, limits))) return answered(400, 'http1.unexpected_underscore');
  const tooMany = isLarge ? checkLines('http/1.1', request, limits) : undefined;
  if (tooMany !== undefined) return tooMany;
  return (request.unseen === undefined ? checkFraming(request) : undefined) ?? checkTarget(request, blanks);
}

/** Whether a name with an underscore comes before the first line that is one too many. */
function isWithin(request: HttpRequest, limits: WireLimits): boolean {
  const before = request.headers.slice(
    0,
    request.headers.findIndex(([name]) => name.includes('_')),
  );
  return checkLines('http/1.1', { ...request, headers: before, unseen: 0 }, limits) === undefined;
}

function hasUnderscore({ headers, told }: HttpRequest, blanks: Blanks | undefined): boolean {
  if (headers.some(([name]) => name.includes('_'))) return true;
  return told !== undefined && blanks?.ask('headers', 'one has an underscore in its name') === true;
}

/** Its codec takes what begins like a path, and the star of OPTIONS. CONNECT has no path. */
function checkHttp2Message(request: HttpRequest, blanks: Blanks | undefined): Outcome | undefined {
  const { method, path } = request;
  if (method !== 'CONNECT') {
    if (path.startsWith('/')) return checkQuery(request, 'h2', blanks);
    if (path === '*' && method === 'OPTIONS') return answered(404, 'absolute_path_rejected');
  }
  return { kind: 'reset', details: 'http2.violation.of.messaging.rule' };
}

function checkTarget(request: HttpRequest, blanks: Blanks | undefined): Outcome | undefined {
  const { method, path } = request;
  if (method === 'CONNECT') {
    return isConnectTarget(path) ? tunnel : answered(400, 'http1.invalid_url');
  }
  const isStar = path.startsWith('*');
  if (isStar && method !== 'OPTIONS') return answered(400, 'http1.invalid_url');
  if (removesHost(request)) return answered(400, 'missing_host_header');
  if (!isAuthority(request)) return answered(400, 'http.invalid_authority');
  const fault = asksForUdp(request) ? checkUdpTarget(request) : undefined;
  if (fault !== undefined) return fault;
  if (isStar) return answered(404, 'absolute_path_rejected');
  return (
    checkQuery(request, 'http/1.1', blanks) ??
    (path.includes('#') ? answered(400, 'path_normalization_failed') : undefined)
  );
}

/** What is asked for stands in the body, whose type has to be told. */
function checkQuery(
  { method, headers, told, opaque }: HttpRequest,
  protocol: Connection['protocol'],
  blanks: Blanks | undefined,
): Outcome | undefined {
  if (method !== 'QUERY' || opaque?.includes('content-type')) return undefined;
  if (headers.some(([name, value]) => isTypeOfBody(name, value, protocol))) return undefined;
  if (told?.includes('content-type') === false && blanks?.ask('the header content-type', 'is there') !== false) {
    return undefined;
  }
  return answered(400, 'query_missing_content_type');
}

/** What Envoy reads in place of a path, or around one, and is not read here. */
export function unreadTarget(path: string): string | undefined {
  if (hasOuterBlanks(path)) return 'blanks around the path';
  return !path.startsWith('/') && /^[a-z][a-z\d+.-]*:\/\//i.test(path)
    ? 'a URL with a host in place of the path'
    : undefined;
}

/** Whether the codec accepts a text as the URL of a request: printable ASCII that begins like a path. */
export function isUrl(path: string): boolean {
  return isSettled(path) || /^[/*][!-~\x7f]*$/.test(path);
}

/** Over HTTP/1.1 blanks alone are none. */
function isTypeOfBody(name: string, value: string, protocol: Connection['protocol']): boolean {
  return (protocol === 'h2' ? value !== '' : /[^ \t]/.test(value)) && name.toLowerCase() === 'content-type';
}
