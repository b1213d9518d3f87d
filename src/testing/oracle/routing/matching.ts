import type { RouteMatch, TextTest } from './intent.ts';

/** A request as routes see it. */
export interface RoutedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly authority: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The proxy that looks for a route: where it is, and by which of its ports and gateways the request came. */
export interface RoutingProxy {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly port: number;
  /** `mesh` at a sidecar. */
  readonly gateway: string;
}

/** Whether an entry is for this proxy at all. */
export function concerns(match: RouteMatch, proxy: RoutingProxy, owner: string): boolean {
  if (match.port !== undefined && match.port !== proxy.port) return false;
  if (match.gateways?.some((name) => fullGateway(name, owner) === proxy.gateway) === false) return false;
  // Deviation, towards fewer requests: at sidecars, an entry for `mesh` that also names sources is for these alone.
  if (match.gateways !== undefined && proxy.gateway !== 'mesh') return true;
  const labels = Object.entries(match.sourceLabels ?? {});
  return (
    labels.every(([key, value]) => proxy.labels[key] === value) &&
    (match.sourceNamespace === undefined || match.sourceNamespace === proxy.namespace)
  );
}

/** `namespace/name` of a gateway that an object of a namespace names. */
export function fullGateway(name: string, owner: string): string {
  return name === 'mesh' || name.includes('/') ? name : `${owner}/${name}`;
}

/** Whether a request meets all that an entry asks. */
export function meets(match: RouteMatch, { method, path, headers }: RoutedRequest): boolean {
  const [bare = '', query = ''] = path.split('?');
  const { uri, ignoreUriCase = false } = match;
  const parameters = new Map(query.split('&').map((pair) => pair.split('=') as [string, string]));
  const lowered = ignoreUriCase && uri?.regex === undefined;
  const lower = (text: string): string => (lowered ? text.toLowerCase() : text);
  return (
    (uri === undefined || isLike(lower(bare), mapped(uri, lower))) &&
    (match.method === undefined || isLike(method, match.method)) &&
    Object.entries(match.headers ?? {}).every(([name, test]) => isLike(headers[name.toLowerCase()], test)) &&
    !Object.entries(match.withoutHeaders ?? {}).some(([name, test]) => isLike(headers[name.toLowerCase()], test)) &&
    Object.entries(match.queryParams ?? {}).every(([name, test]) => isLike(parameters.get(name), test))
  );
}

function mapped(test: TextTest, change: (text: string) => string): TextTest {
  return Object.fromEntries(Object.entries(test).map(([kind, text]) => [kind, change(text)]));
}

/** What is absent is like nothing. */
function isLike(text: string | undefined, { exact, prefix, regex }: TextTest): boolean {
  if (text === undefined) return false;
  if (exact !== undefined) return text === exact;
  if (prefix !== undefined) return text.startsWith(prefix);
  return regex === undefined || new RegExp(`^(?:${regex})$`).test(text);
}
