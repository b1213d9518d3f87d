import type { Fragment } from '../../envoy/api/fragment.ts';
import type { StringMatch } from '../model/string-match.ts';
import { type Authorizer, liftAuthorizer } from './authorizer.ts';
import { type ChainMatch, liftChainMatch } from './chain-match.ts';
import { type HttpManager, liftHttpManager } from './http-manager.ts';
import { Gaps, Message } from './message.ts';
import { type AccessFilter, liftAccessFilter } from './rbac.ts';
import { liftPeer, type Root } from './tls.ts';

/** What a listener asks of its clients' TLS. */
export interface ServerTls {
  readonly requiresCertificate: boolean;
  /** Who signs certificates that it accepts; undefined: it asks for none. */
  readonly root: Root | undefined;
  /** Protocols that it offers. */
  readonly alpn: readonly string[];
  /** One URI SAN of the client's certificate must be one of these; empty: any that the root has signed. */
  readonly identities: readonly StringMatch[];
}

/** A filter on a connection's way; the last one takes it. */
export type NetworkFilter =
  | { readonly kind: 'rbac'; readonly access: AccessFilter; readonly at: Fragment }
  | { readonly kind: 'authorizer'; readonly authorizer: Authorizer; readonly at: Fragment }
  /** The client's server name is the cluster's name. */
  | { readonly kind: 'sni-cluster'; readonly at: Fragment }
  | { readonly kind: 'http'; readonly manager: HttpManager; readonly at: Fragment }
  | { readonly kind: 'tcp'; readonly clusters: readonly string[]; readonly at: Fragment }
  /** Nothing is known of what it does. */
  | { readonly kind: 'unknown'; readonly at: Fragment };

export interface Chain {
  readonly name: string;
  readonly match: ChainMatch;
  readonly tls: ServerTls | undefined;
  readonly filters: readonly NetworkFilter[];
  readonly at: Fragment;
  /** Filters have gaps of their own. */
  readonly gap: string | undefined;
}

/** An IP address, or none in particular (`0.0.0.0`, `::`), and a port. */
export interface SocketAddress {
  readonly address: string;
  readonly port: number;
}

/** Ports that an inspector leaves alone; undefined where there is no inspector. */
export interface Inspectors {
  readonly tls: readonly number[] | undefined;
  readonly http: readonly number[] | undefined;
}

export interface Listener {
  readonly name: string;
  readonly addresses: readonly SocketAddress[];
  readonly inspectors: Inspectors;
  readonly chains: readonly Chain[];
  readonly defaultChain: Chain | undefined;
  /** Whether it takes connections to its addresses itself; else it has what the one that catches all hands to it. */
  readonly isBound: boolean;
  readonly at: Fragment;
  readonly gap: string | undefined;
}

/** Names of a sidecar's listeners that have redirected connections. */
export const catchers = { inbound: 'virtualInbound', outbound: 'virtualOutbound' } as const;

const listener = 'envoy.config.listener.v3';
const tlsTypes = 'envoy.extensions.transport_sockets.tls.v3';

/** Envoy's `Listener`. */
export function liftListener(fragment: Fragment): Listener {
  const message = new Message(`${listener}.Listener`, fragment, new Gaps());
  const inspectors = message.messages('listener_filters', `${listener}.ListenerFilter`).map(liftInspector);
  const name = message.text('name');
  const isOutbound = message.text('traffic_direction') === 'OUTBOUND';
  const isBound = !message.has('bind_to_port') || message.flag('bind_to_port');
  // The one for all that a workload sends hands connections on to the listener of their destination, and no other does.
  if (message.flag('use_original_dst') !== (name === catchers.outbound)) message.refuse('use_original_dst');
  if (!isBound && (name === catchers.inbound || name === catchers.outbound)) message.refuse('bind_to_port');
  const disabledPorts = (kind: string): readonly number[] | undefined =>
    inspectors.find((inspector) => inspector.kind === kind)?.disabledPorts;
  return {
    name,
    addresses: [
      liftAddress(message),
      ...message.messages('additional_addresses', `${listener}.AdditionalAddress`).map(liftAddress),
    ],
    inspectors: { tls: disabledPorts('TlsInspector'), http: disabledPorts('HttpInspector') },
    chains: message.parts('filter_chains', `${listener}.FilterChain`).map((chain) => liftChain(chain, isOutbound)),
    defaultChain: message.has('default_filter_chain')
      ? liftChain(message.message('default_filter_chain', `${listener}.FilterChain`), isOutbound)
      : undefined,
    isBound,
    at: message.fragment,
    gap: message.gaps.first,
  };
}

/** Of a message with the field `address`. */
export function liftAddress(message: Message): SocketAddress {
  const socket = message
    .message('address', 'envoy.config.core.v3.Address')
    .message('socket_address', 'envoy.config.core.v3.SocketAddress');
  return { address: socket.text('address'), port: socket.number('port_value') ?? 0 };
}

const knownFilters = new Set(['TlsInspector', 'HttpInspector', 'OriginalDst', 'OriginalSrc']);

function liftInspector(filter: Message): { readonly kind: string; readonly disabledPorts: readonly number[] } {
  const type = filter.any('typed_config')?.type;
  const kind = type?.split('.').at(-1) ?? '';
  if (!knownFilters.has(kind)) filter.refuse('typed_config');
  const predicate = `${listener}.ListenerFilterChainMatchPredicate`;
  const disabled = filter.message('filter_disabled', predicate);
  const all = disabled.has('or_match')
    ? disabled.message('or_match', `${predicate}.MatchSet`).messages('rules', predicate)
    : disabled.has('destination_port_range')
      ? [disabled]
      : [];
  const disabledPorts = all.flatMap((one) => {
    const range = one.message('destination_port_range', 'envoy.type.v3.Int32Range');
    const from = range.number('start') ?? 0;
    return Array.from({ length: (range.number('end') ?? from) - from }, (_, i) => from + i);
  });
  return { kind, disabledPorts };
}

function liftChain(chain: Message, isOutbound: boolean): Chain {
  return {
    name: chain.text('name'),
    match: liftChainMatch(chain.message('filter_chain_match', `${listener}.FilterChainMatch`)),
    tls: liftServerTls(chain),
    filters: chain.messages('filters', `${listener}.Filter`).map((filter) => liftFilter(filter, isOutbound)),
    at: chain.fragment,
    gap: chain.gaps.first,
  };
}

function liftServerTls(chain: Message): ServerTls | undefined {
  if (!chain.has('transport_socket')) return undefined;
  const context = chain.message('transport_socket', 'envoy.config.core.v3.TransportSocket').any('typed_config');
  if (context?.type !== `${tlsTypes}.DownstreamTlsContext`) {
    chain.refuse('transport_socket');
    return undefined;
  }
  const common = context.message('common_tls_context', `${tlsTypes}.CommonTlsContext`);
  const alpn = common.texts('alpn_protocols');
  return { requiresCertificate: context.flag('require_client_certificate'), alpn, ...liftPeer(common) };
}

function liftFilter(filter: Message, isOutbound: boolean): NetworkFilter {
  const at = filter.fragment;
  const config = filter.any('typed_config');
  switch (config?.type) {
    case 'envoy.extensions.filters.network.rbac.v3.RBAC':
      return { kind: 'rbac', access: liftAccessFilter(config), at };
    case 'envoy.extensions.filters.network.ext_authz.v3.ExtAuthz':
      return { kind: 'authorizer', authorizer: liftAuthorizer(config), at };
    case 'envoy.extensions.filters.network.sni_cluster.v3.SniCluster':
      return { kind: 'sni-cluster', at };
    case 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager':
      return { kind: 'http', manager: liftHttpManager(config, isOutbound), at };
    case 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy':
      return { kind: 'tcp', clusters: liftTcpClusters(config), at };
    default:
      filter.refuse('typed_config');
      return { kind: 'unknown', at };
  }
}

function liftTcpClusters(config: Message): readonly string[] {
  if (config.has('cluster')) return [config.text('cluster')];
  const weighted = `${config.type}.WeightedCluster`;
  return config
    .message('weighted_clusters', weighted)
    .messages('clusters', `${weighted}.ClusterWeight`)
    .filter((cluster) => (cluster.number('weight') ?? 0) > 0)
    .map((cluster) => cluster.text('name'));
}
