import type { HeaderChanges } from '../lift/header-changes.ts';
import type { HttpManager } from '../lift/http-manager.ts';
import type { Chain } from '../lift/listener.ts';
import type { LiftedProxy } from '../lift-proxy.ts';
import type { StringMatch } from '../model/string-match.ts';

/** What a proxy does with requests before it logs them, so that a line does not have what arrived. */
export interface LogTraits {
  /** Headers, in lower case, whose logged value may be the proxy's own. */
  readonly changed: ReadonlySet<string>;
  /** An authorizer may change any header. */
  readonly changesAll: boolean;
  readonly changesAuthority: boolean;
  /** Paths that its routes rewrite. */
  readonly rewritten: readonly StringMatch[];
  /** Parameters of the query that it takes out with a valid token. */
  readonly takenParameters: ReadonlySet<string>;
  /** Whether every connection manager appends the peer's address to `x-forwarded-for`. */
  readonly appendsPeer: boolean;
  /** How its connection managers change paths, hosts and addresses: equal texts do the same. */
  readonly forms: string;
  /** Protocols that its filter chains are chosen by, and lists of them that it offers to servers. */
  readonly alpn: readonly (readonly string[])[];
}

/** By themselves, and with what they know of connections. */
const own = ['x-forwarded-proto', 'x-request-id', 'x-forwarded-client-cert', 'x-envoy-attempt-count'];

/** Reads the traits of a proxy's configuration. */
export function logTraits(proxy: LiftedProxy): LogTraits {
  const managers = managersOf(proxy);
  const filters = managers.flatMap((manager) => manager.filters);
  const tables = [...proxy.routes.values()];
  const routes = tables.flatMap(({ virtualHosts }) => virtualHosts.flatMap((host) => host.routes));
  const actions = routes.flatMap(({ action, match }) => (action.kind === 'forward' ? [{ ...action, match }] : []));
  const changes = [...tables, ...routes, ...actions.flatMap(({ clusters }) => clusters)].map(({ headers }) => headers);
  const tokens = filters.flatMap((filter) => (filter.kind === 'jwt' ? filter.providers : []));
  const ofTokens = tokens.flatMap(({ payloadHeader, claimHeaders, headers, forwards }) => [
    ...(payloadHeader === undefined ? [] : [payloadHeader.name]),
    ...claimHeaders.map(({ name }) => name),
    ...(forwards ? [] : ['cookie', ...headers.map(({ name }) => name)]),
  ]);
  return {
    changed: new Set([...own, ...changes.flatMap(namesIn), ...ofTokens]),
    changesAll: filters.some(({ kind }) => kind === 'authorizer' || kind === 'unknown'),
    changesAuthority: actions.some(
      ({ authority, clusters }) => (authority ?? clusters.find((one) => one.authority)) !== undefined,
    ),
    takenParameters: new Set(tokens.flatMap(({ forwards, params }) => (forwards ? [] : params))),
    rewritten: actions.flatMap(({ path, match }) => (path === undefined ? [] : [match.path])),
    appendsPeer: managers.length > 0 && managers.every(({ usesRemoteAddress }) => usesRemoteAddress),
    forms: [...new Set(managers.map(formOf))].sort().join('\n'),
    alpn: alpnOf(proxy),
  };
}

function managersOf({ listeners }: LiftedProxy): readonly HttpManager[] {
  return chainsOf(listeners).flatMap(({ filters }) =>
    filters.flatMap((filter) => (filter.kind === 'http' ? [filter.manager] : [])),
  );
}

function chainsOf(listeners: LiftedProxy['listeners']): readonly Chain[] {
  return [...listeners.values()].flatMap(({ chains, defaultChain }) => [
    ...chains,
    ...(defaultChain === undefined ? [] : [defaultChain]),
  ]);
}

function namesIn({ removed, added }: HeaderChanges): readonly string[] {
  return [...removed, ...added.map(({ name }) => name)];
}

function formOf(manager: HttpManager): string {
  const { paths, stripsAnyPort, stripsTrailingDot, usesRemoteAddress, trustedHops, underscores } = manager;
  return JSON.stringify({ paths, stripsAnyPort, stripsTrailingDot, usesRemoteAddress, trustedHops, underscores });
}

function alpnOf({ listeners, clusters }: LiftedProxy): LogTraits['alpn'] {
  const single = chainsOf(listeners).flatMap(({ match }) => match.alpn.map((one) => [one]));
  const offered = [...clusters.values()].flatMap(({ sockets }) =>
    sockets.flatMap(({ tls }) => (tls ? [tls.alpn] : [])),
  );
  const all = [[], ...single, ...offered];
  return [...new Map(all.map((list) => [list.join(), list])).values()];
}
