import type { Settings } from '../../../config/settings.ts';
import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { OutboundTrafficPolicyMode } from '../../../policy/sidecar.ts';
import type { FilterChainIR, FilterChainMatchIR, ListenerFiltersIR, ListenerIR } from '../../ir/listener.ts';
import { httpConnection, tcpProxy } from '../filters.ts';
import { clusterNames, meshAlpn, plaintextHttpProtocols, statName } from '../names.ts';
import { joinOrigins, noOrigins, servicePortOrigins } from '../origins.ts';
import { addressesInBlocks } from './addresses-in-blocks.ts';
import type { ListenerDraft } from './draft.ts';
import type { Placement, TcpMatch } from './placement.ts';
import { type Clusters, serviceProxy } from './service-proxy.ts';

const anyMatch: FilterChainMatchIR = {
  destinationPort: undefined,
  transportProtocol: undefined,
  applicationProtocols: [],
  serverNames: [],
  destinationPrefixes: [],
};

/**
 * The listener that a redirected outbound connection is handed to. HTTP is recognised by its bytes; whatever else comes
 * goes to the service that claimed the port's TCP, or where the application wanted to go.
 */
export function outboundListener(
  draft: ListenerDraft,
  overridesAlpn: boolean,
  clusters: Clusters,
  { settings, unknown }: { readonly settings: Settings; readonly unknown: OutboundTrafficPolicyMode },
  bag: DiagnosticBag,
): ListenerIR {
  const http = draft.http[0];
  const proxyOf = (placement: Placement) => serviceProxy(placement, clusters, settings, bag);
  const chains = draft.matched.map(({ placement, match }) => matchedChain(draft, placement, match, proxyOf));
  if (http !== undefined) {
    const own = addressesInBlocks(draft);
    if (own.length > 0) chains.push(httpChain(draft, http, overridesAlpn, settings, own));
    chains.push(httpChain(draft, http, overridesAlpn, settings));
  }
  const fallback = draft.fallback && tcpChain(draft.fallback, anyMatch, `${draft.name}-tcp`, proxyOf);
  const isComplete = chains.some(({ match }) => match === anyMatch);
  const isOnlyTcp = chains.length === 0 && fallback !== undefined;
  const unmatched =
    draft.isWildcard && !isComplete ? catchAllChain('PassthroughFilterChain', unknown, settings) : undefined;
  const pods = [draft.fallback, http].flatMap((placement) => placement?.notForAddress ?? []);
  const services = [http, draft.fallback, ...draft.matched.map(({ placement }) => placement)];
  return {
    name: draft.name,
    addresses: draft.addresses,
    port: draft.port,
    direction: 'OUTBOUND',
    bindToPort: draft.isBound,
    useOriginalDst: false,
    transparent: false,
    listenerFilters: inspectors(chains, settings),
    filterChains: isOnlyTcp ? [fallback] : chains,
    // A chain with an empty match would not do: Envoy does not look there once a transport protocol has matched.
    defaultFilterChain: isOnlyTcp ? undefined : (fallback ?? unmatched),
    accessLog: settings.accessLogFile !== '',
    notForAddresses: [...new Set(pods)],
    origins: services
      .filter((placement) => placement !== undefined)
      .map(placementOrigins)
      .reduce(joinOrigins, noOrigins),
  };
}

/** A TCP proxy to where the application wanted to go, or nowhere under REGISTRY_ONLY. */
export function catchAllChain(name: string, unknown: OutboundTrafficPolicyMode, settings: Settings): FilterChainIR {
  const cluster = unknown === 'ALLOW_ANY' ? clusterNames.passthrough : clusterNames.blackHole;
  const filter = tcpProxy({ statPrefix: cluster, cluster, origins: noOrigins }, settings);
  return { name, match: anyMatch, tls: undefined, policyFilters: [], filter, origins: noOrigins };
}

function httpChain(
  draft: ListenerDraft,
  placement: Placement,
  overridesAlpn: boolean,
  settings: Settings,
  destinationPrefixes: readonly string[] = [],
): FilterChainIR {
  // The application's own TLS may offer http/1.1 too: only plaintext is HTTP to us.
  const detected: FilterChainMatchIR = {
    ...anyMatch,
    destinationPrefixes,
    transportProtocol: 'raw_buffer',
    applicationProtocols: plaintextHttpProtocols,
  };
  const origins = placementOrigins(placement);
  return {
    name: destinationPrefixes.length > 0 ? `${draft.name}-http-in-blocks` : `${draft.name}-http`,
    match: settings.sniffOutbound ? detected : anyMatch,
    tls: undefined,
    policyFilters: [],
    filter: httpConnection(
      {
        statPrefix: `outbound_${statName(draft.name)}`,
        routeConfig: placement.routes ?? '',
        direction: 'outbound',
        alpnOverride: overridesAlpn ? { alpn: [meshAlpn.http11, meshAlpn.tcp] } : undefined,
        origins,
      },
      settings,
    ),
    origins,
  };
}

type ProxyOf = (placement: Placement) => FilterChainIR['filter'];

function matchedChain(draft: ListenerDraft, placement: Placement, tcp: TcpMatch, proxyOf: ProxyOf): FilterChainIR {
  const match: FilterChainMatchIR = {
    ...anyMatch,
    ...tcp,
    transportProtocol: tcp.serverNames.length > 0 ? 'tls' : undefined,
  };
  const distinction = [...tcp.destinationPrefixes, ...(tcp.sourcePrefixes ?? []), ...tcp.serverNames].join('-');
  return tcpChain(placement, match, `${draft.name}-${distinction}`, proxyOf);
}

function tcpChain(placement: Placement, match: FilterChainMatchIR, name: string, proxyOf: ProxyOf): FilterChainIR {
  const filter = proxyOf(placement);
  return { name, match, tls: undefined, policyFilters: [], filter, origins: placementOrigins(placement) };
}

function inspectors(chains: readonly FilterChainIR[], settings: Settings): ListenerFiltersIR {
  const isHttpDetected = chains.some(({ match }) => match.applicationProtocols.length > 0);
  const isTlsDetected = isHttpDetected || chains.some(({ match }) => match.transportProtocol === 'tls');
  const inspector = { disabledPorts: [] };
  return {
    originalDst: false,
    originalSrcMark: undefined,
    tlsInspector: isTlsDetected ? inspector : undefined,
    httpInspector: isHttpDetected ? inspector : undefined,
    timeoutMs: isTlsDetected ? settings.outboundDetectionTimeoutMs : 0,
    continueOnTimeout: true,
  };
}

function placementOrigins({ outbound, port }: Placement) {
  return servicePortOrigins(outbound.service, port.number);
}
