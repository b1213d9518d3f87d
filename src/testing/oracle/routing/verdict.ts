import { hosts, type MeshHost, type MeshPod, rootNamespace } from '../../generated-mesh.ts';
import {
  type GatewayPolicy,
  isExported,
  oldestFirst,
  type RouteBlock,
  type RouteIntents,
  type RouteMatch,
  type RoutePolicy,
} from './intent.ts';
import { concerns, fullGateway, meets, type RoutedRequest, type RoutingProxy } from './matching.ts';
import { common, fullName, isWithin, namesOf, narrowest } from './names.ts';
import { type Known, knownTo } from './scope.ts';

/** A request whose route is asked for: of a workload to a port of a service, or of anybody to a port of the gateway. */
export interface RouteQuestion {
  readonly from: MeshPod | 'outside';
  /** Whose address is called; absent: the gateway's. */
  readonly host?: MeshHost;
  readonly port: number;
  readonly request: RoutedRequest;
}

/** Where a request goes, by the words of the specification. */
export type RouteVerdict =
  /** To one of these, as `host:port` and perhaps a subset; with this path and host. */
  | { readonly kind: 'goes'; readonly targets: readonly string[]; readonly path: string; readonly authority: string }
  | { readonly kind: 'answered'; readonly status: number }
  /** To where the client wanted it, whatever is there. */
  | { readonly kind: 'unchanged' }
  /** Nobody listens there. */
  | { readonly kind: 'refused' };

/** Labels of the workload that the gateways select. */
export const edgeLabels: Readonly<Record<string, string>> = { mesh: 'ingressgateway' };

export function routeOf(intents: RouteIntents, question: RouteQuestion): RouteVerdict {
  return question.from === 'outside' ? atGateway(intents, question) : ofWorkload(intents, question, question.from);
}

/** One entry that concerns a proxy; a block without entries is one for all requests. */
interface Entry {
  readonly match: RouteMatch;
  readonly block: RouteBlock;
  readonly owner: RoutePolicy;
}

/** Up to the first that takes every request: no request meets a later one. */
function entriesFor(policy: RoutePolicy, proxy: RoutingProxy): readonly Entry[] {
  const all = policy.spec.http.flatMap((block) =>
    (block.match ?? [{}])
      .filter((match) => concerns(match, proxy, policy.metadata.namespace))
      .map((match) => ({ match, block, owner: policy })),
  );
  const last = all.findIndex(takesAll);
  return last === -1 ? all : all.slice(0, last + 1);
}

function ofWorkload(intents: RouteIntents, { port, request }: RouteQuestion, pod: MeshPod): RouteVerdict {
  const known = knownTo(intents, pod);
  const proxy: RoutingProxy = { namespace: pod.namespace, labels: pod.labels, port, gateway: 'mesh' };
  const name = withoutPort(request.authority).toLowerCase();
  const called = known.services.find((one) => one.ports.includes(port) && namesOf(one, pod.namespace).includes(name));
  // Nobody listens on a port on which no known service speaks HTTP.
  if (!known.services.some(({ ports }) => [80, 8000].includes(port) && ports.includes(port))) {
    return { kind: 'unchanged' };
  }
  // Deviation, as in the original: hosts that no known service has are routed on port 80 alone, which is that of URLs.
  if (called === undefined && port !== 80) return { kind: 'unchanged' };
  const entries =
    called === undefined ? bareEntries(known, name, proxy) : meshEntries(known.routes, called.host, proxy);
  if (entries !== undefined) {
    const verdict = first(entries, request, port);
    return verdict ?? { kind: 'answered', status: 404 };
  }
  if (called === undefined) return { kind: 'unchanged' };
  return { kind: 'goes', targets: [`${called.host}:${port}`], path: request.path, authority: request.authority };
}

/** Routes of hosts that stand for no known service. */
function bareEntries({ routes, services }: Known, name: string, proxy: RoutingProxy): readonly Entry[] | undefined {
  const isBare = (host: string): boolean => !services.some((one) => isWithin(one.host, host));
  return meshEntries(routes, name, proxy, isBare);
}

/** Of the routes with the narrowest host, those of the oldest that have any for the proxy. */
function meshEntries(
  routes: readonly RoutePolicy[],
  host: string,
  proxy: RoutingProxy,
  counts: (host: string) => boolean = () => true,
): readonly Entry[] | undefined {
  const candidates = routes
    .filter(({ metadata, spec }) =>
      (spec.gateways ?? ['mesh']).some((name) => fullGateway(name, metadata.namespace) === 'mesh'),
    )
    .map((policy) => ({ names: namesFor(policy).filter(counts), entries: entriesFor(policy, proxy) }))
    .filter(({ entries }) => entries.length > 0);
  const best = narrowest(
    candidates.flatMap(({ names }) => names),
    host,
  );
  return best === undefined ? undefined : candidates.find(({ names }) => names.includes(best))?.entries;
}

function namesFor({ metadata, spec }: RoutePolicy): readonly string[] {
  return spec.hosts.map((host) => fullName(host, metadata.namespace));
}

function atGateway({ routes, gateways }: RouteIntents, { port, request }: RouteQuestion): RouteVerdict {
  const selected = oldestFirst(gateways).filter(({ spec }) =>
    Object.entries(spec.selector ?? {}).every(([key, value]) => edgeLabels[key] === value),
  );
  const servers = selected.flatMap((gateway) =>
    gateway.spec.servers.filter((server) => server.port.number === port).map((server) => ({ gateway, server })),
  );
  if (servers.length === 0) return { kind: 'refused' };
  const seen = oldestFirst(routes).filter((policy) => isExported(policy, rootNamespace));
  const served = servers.flatMap(({ gateway, server }) =>
    seen.flatMap((policy) =>
      server.hosts.flatMap((host) => hostsServed(gateway, host, policy)).map((host) => ({ host, gateway, policy })),
    ),
  );
  const proxyAt = ({ metadata }: GatewayPolicy): RoutingProxy => {
    return { namespace: rootNamespace, labels: edgeLabels, port, gateway: `${metadata.namespace}/${metadata.name}` };
  };
  const filled = served
    .map(({ host, gateway, policy }) => ({ host, entries: entriesFor(policy, proxyAt(gateway)) }))
    .filter(({ entries }) => entries.length > 0);
  const name = withoutPort(request.authority).toLowerCase();
  const best = narrowest(
    filled.map(({ host }) => host),
    name,
  );
  const entries = filled.filter(({ host }) => host === best).flatMap((one) => one.entries);
  // Of several objects for one host, what takes every request comes last.
  const isShared = new Set(entries.map(({ owner }) => owner)).size > 1;
  const ordered = isShared ? [...entries.filter((entry) => !takesAll(entry)), ...entries.filter(takesAll)] : entries;
  // Deviation, towards fewer spellings: a gateway tells applications the host without its port.
  const told = { ...request, authority: withoutPort(request.authority) };
  return first(ordered, told, port) ?? { kind: 'answered', status: 404 };
}

/** Hosts of an object's routes that a host of a server lets in. */
function hostsServed(gateway: GatewayPolicy, serverHost: string, policy: RoutePolicy): readonly string[] {
  const { metadata, spec } = policy;
  const own = `${gateway.metadata.namespace}/${gateway.metadata.name}`;
  if (!(spec.gateways ?? ['mesh']).some((name) => fullGateway(name, metadata.namespace) === own)) return [];
  const [namespace, host] = serverHost.includes('/') ? serverHost.split('/') : ['*', serverHost];
  const isLetIn =
    namespace === '*' ||
    namespace === metadata.namespace ||
    (namespace === '.' && metadata.namespace === gateway.metadata.namespace);
  if (!isLetIn) return [];
  return namesFor(policy).flatMap((name) => common(name, host ?? '') ?? []);
}

function takesAll({ match }: Entry): boolean {
  const { uri, method, headers, withoutHeaders, queryParams } = match;
  const takesPath = uri === undefined || uri.prefix === '/' || uri.regex === '*' || uri.regex === '.*';
  return takesPath && [method, headers, withoutHeaders, queryParams].every((test) => test === undefined);
}

/** What the first entry that the request meets says. */
function first(entries: readonly Entry[], request: RoutedRequest, port: number): RouteVerdict | undefined {
  const entry = entries.find(({ match }) => meets(match, request));
  if (entry === undefined) return undefined;
  const { match, block, owner } = entry;
  if (block.redirect !== undefined) return { kind: 'answered', status: block.redirect.redirectCode ?? 301 };
  if (block.directResponse !== undefined) return { kind: 'answered', status: block.directResponse.status };
  const route = block.route ?? [];
  const chosen = route.length === 1 ? route : route.filter(({ weight = 0 }) => weight > 0);
  const targets = chosen.map(({ destination }) => {
    const host = fullName(destination.host, owner.metadata.namespace);
    const ports = hosts.find((one) => one.host === host)?.ports ?? [];
    const number = destination.port?.number ?? (ports.length === 1 ? ports[0] : port);
    return `${host}:${number}${destination.subset === undefined ? '' : ` ${destination.subset}`}`;
  });
  const authority = block.rewrite?.authority ?? request.authority;
  return {
    kind: 'goes',
    targets: [...new Set(targets)].sort(),
    path: rewritten(request.path, match, block),
    authority,
  };
}

/** A rewrite replaces what the entry asks for: the beginning, or the whole path. */
function rewritten(path: string, { uri }: RouteMatch, { rewrite }: RouteBlock): string {
  if (rewrite?.uri === undefined) return path;
  const [bare = '', ...query] = path.split('?');
  const isWhole = uri?.exact !== undefined || uri?.regex !== undefined;
  return [isWhole ? rewrite.uri : joined(bare, uri?.prefix ?? '/', rewrite.uri), ...query].join('?');
}

/** Deviation, towards fewer paths: at a slash that ends the beginning or its replacement, one slash stands before the rest. */
function joined(path: string, prefix: string, replacement: string): string {
  if (![prefix, replacement].some((text) => text.endsWith('/'))) return replacement + path.slice(prefix.length);
  const rest = path.slice(prefix.replace(/\/$/, '').length).replace(/^\//, '');
  return `${replacement.replace(/\/$/, '')}/${rest}`;
}

function withoutPort(authority: string): string {
  return authority.replace(/:\d+$/, '');
}

/** Kinds of objects that are about a question. */
export function kindsAbout(intents: RouteIntents, { from, port, request }: RouteQuestion): readonly string[] {
  const name = withoutPort(request.authority).toLowerCase();
  const isNamed = intents.routes.some((policy) =>
    namesFor(policy).some(
      (host) => isWithin(name, host) || hosts.some((one) => one.host === host && namesOf(one, '').includes(name)),
    ),
  );
  const isScoped =
    from !== 'outside' &&
    intents.scopes.some(({ metadata }) => [from.namespace, rootNamespace].includes(metadata.namespace));
  const isServed =
    from === 'outside' &&
    intents.gateways.some(({ spec }) => spec.servers.some((server) => server.port.number === port));
  return [...(isNamed ? ['VirtualService'] : []), ...(isServed ? ['Gateway'] : []), ...(isScoped ? ['Sidecar'] : [])];
}
