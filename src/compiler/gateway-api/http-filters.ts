import { parseDuration } from '../../lib/duration.ts';
import type { HeaderModifier, HttpRouteRule, PathModifier, RouteFilter } from '../../policy/gateway-api.ts';
import type { HeaderOperations, Headers, HttpRedirect, HttpRoute } from '../../policy/virtual-service.ts';
import type { MatchPart } from './http-match.ts';

/** The changes of headers that filters make, as a VirtualService says them; undefined for none. */
export function headersOf(filters: readonly RouteFilter[]): Headers | undefined {
  const request = operations(filters.flatMap(({ requestHeaderModifier }) => requestHeaderModifier ?? []));
  const response = operations(filters.flatMap(({ responseHeaderModifier }) => responseHeaderModifier ?? []));
  if (request === undefined && response === undefined) return undefined;
  return { ...(request === undefined ? {} : { request }), ...(response === undefined ? {} : { response }) };
}

function operations(modifiers: readonly HeaderModifier[]): HeaderOperations | undefined {
  const [modifier] = modifiers;
  if (modifier === undefined) return undefined;
  const { set = [], add = [], remove = [] } = modifier;
  return { set: values(set), add: values(add), remove };
}

/** Values are texts: nothing in them is filled in. */
function values(headers: readonly { readonly name: string; readonly value: string }[]) {
  return Object.fromEntries(headers.map(({ name, value }) => [name, value.replaceAll('%', '%%')]));
}

/** Where a redirect leads from a listener; undefined for a rule without one. */
export function redirectOf(
  filters: readonly RouteFilter[],
  listener: { readonly port: number; readonly protocol: string },
): HttpRedirect | undefined {
  const wanted = filters.find(({ requestRedirect }) => requestRedirect !== undefined)?.requestRedirect;
  if (wanted === undefined) return undefined;
  const { scheme, hostname, port, statusCode = 302 } = wanted;
  const usual = usualPort(scheme ?? (listener.protocol === 'HTTPS' ? 'https' : 'http'));
  const target = port ?? (scheme === undefined ? listener.port : usual);
  return {
    redirectCode: statusCode,
    ...(scheme === undefined ? {} : { scheme }),
    ...(hostname === undefined ? {} : { authority: hostname }),
    ...(target === usual ? {} : { port: target }),
  };
}

function usualPort(scheme: 'http' | 'https'): number {
  return scheme === 'https' ? 443 : 80;
}

/** Host and path on the way to the backend; undefined for a rule that leaves them alone. */
export function rewriteOf(filters: readonly RouteFilter[], part: MatchPart): HttpRoute['rewrite'] {
  const wanted = filters.find(({ urlRewrite }) => urlRewrite !== undefined)?.urlRewrite;
  if (wanted === undefined) return undefined;
  const { hostname, path } = wanted;
  return { ...(hostname === undefined ? {} : { authority: hostname }), ...(path && pathRewrite(path, part)) };
}

function pathRewrite(
  { type, replaceFullPath, replacePrefixMatch = '' }: PathModifier,
  { isPrefix }: MatchPart,
): NonNullable<HttpRoute['rewrite']> {
  if (type === 'ReplacePrefixMatch') return { uri: replacePrefixMatch === '' && !isPrefix ? '/' : replacePrefixMatch };
  // The whole path as an expression: beside a prefix, a text would take its place alone.
  return { uriRegexRewrite: { match: '^.*$', rewrite: (replaceFullPath || '/').replaceAll('\\', '\\\\') } };
}

/** Timeout of the request, and that of one try; 0: none. */
export function timeoutsOf({ timeouts = {} }: HttpRouteRule): Pick<HttpRoute, 'timeout' | 'retries'> {
  const { request, backendRequest } = timeouts;
  const isBounded = backendRequest !== undefined && parseDuration(backendRequest) !== 0;
  return {
    ...(request === undefined ? {} : { timeout: request }),
    ...(isBounded ? { retries: { perTryTimeout: backendRequest } } : {}),
  };
}
