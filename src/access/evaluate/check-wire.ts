import type { HttpManager } from '../lift/http-manager.ts';
import { isSettled } from '../model/normalize-path.ts';
import type { Outcome } from '../outcome.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { answered } from './answer.ts';
import type { Blanks } from './blanks.ts';

/** Methods that the codec of HTTP/1 knows. */
const knownMethods = new Set(
  (
    'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK BIND REBIND ' +
    'UNBIND ACL REPORT MKACTIVITY CHECKOUT MERGE M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE PATCH PURGE MKCALENDAR LINK ' +
    'UNLINK SOURCE'
  ).split(' '),
);

/** The answer of Envoy's codec and connection manager to a malformed request; undefined if they accept it. */
export function checkWire(
  protocol: Connection['protocol'],
  request: HttpRequest,
  { underscores }: Pick<HttpManager, 'underscores'> = { underscores: 'keep' },
  blanks?: Blanks,
): Outcome | undefined {
  const isRefused = underscores === 'refuse' && hasUnderscore(request, blanks);
  if (protocol === 'h2') {
    return isRefused ? { kind: 'reset', details: 'http2.unexpected_underscore' } : checkHttp2Path(request);
  }
  const { method, path } = request;
  if (!knownMethods.has(method) || !isUrl(path)) return answered(400, 'http1.codec_error');
  if (path.includes('\x7f')) return answered(400, 'http1.invalid_characters');
  return isRefused ? answered(400, 'http1.unexpected_underscore') : checkPath(request);
}

function hasUnderscore({ headers, told }: HttpRequest, blanks: Blanks | undefined): boolean {
  if (headers.some(([name]) => name.includes('_'))) return true;
  return told !== undefined && blanks?.ask('headers', 'one has an underscore in its name') === true;
}

/** Its codec takes what begins like a path, and the star of OPTIONS. */
function checkHttp2Path({ method, path }: HttpRequest): Outcome | undefined {
  if (path.startsWith('/')) return undefined;
  if (path === '*' && method === 'OPTIONS') return answered(404, 'absolute_path_rejected');
  return { kind: 'reset', details: 'http2.violation.of.messaging.rule' };
}

/** What is looked at when all headers are read. */
function checkPath({ method, path }: HttpRequest): Outcome | undefined {
  if (path.startsWith('*')) {
    return method === 'OPTIONS' && /^\*(?:$|\?)/.test(path)
      ? answered(404, 'absolute_path_rejected')
      : answered(400, 'http1.invalid_url');
  }
  return path.includes('#') ? answered(400, 'path_normalization_failed') : undefined;
}

/** Whether the codec accepts a text as the URL of a request: printable ASCII that begins like a path. */
export function isUrl(path: string): boolean {
  return isSettled(path) || /^[/*][!-~\x7f]*$/.test(path);
}
