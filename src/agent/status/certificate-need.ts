import type { AgentConfig } from '../agent-config.ts';
import { type Json, parseResourceFile } from '../reload/proxy-files.ts';

interface FilterChain {
  readonly filters?: readonly { readonly typed_config?: { readonly cluster?: unknown } }[];
  readonly transport_socket?: Json;
}

/** Cluster without endpoints, to which a chain that only closes connections leads. */
const nowhere = 'BlackHoleCluster';

/**
 * Whether callers can reach nothing of this proxy without the workload's own certificate: every filter chain that serves
 * callers shows it. `listeners` is a DiscoveryResponse; callers of a sidecar use its inbound listeners, those of a router
 * all of them. False where nothing is served at all.
 */
export function needsOwnCertificate(listeners: string, role: AgentConfig['role']): boolean {
  const serving = parseResourceFile(listeners)
    .resources.filter(({ traffic_direction: direction }) => role === 'router' || direction === 'INBOUND')
    .flatMap(chainsOf)
    .filter((chain) => !isClosing(chain));
  return serving.length > 0 && serving.every(showsOwnCertificate);
}

function chainsOf(listener: Json): readonly FilterChain[] {
  const { filter_chains: chains = [], default_filter_chain: last } = listener as {
    readonly filter_chains?: readonly FilterChain[];
    readonly default_filter_chain?: FilterChain;
  };
  return last === undefined ? chains : [...chains, last];
}

function isClosing({ filters = [] }: FilterChain): boolean {
  return filters.at(-1)?.typed_config?.cluster === nowhere;
}

/** Whatever wraps the TLS of the chain (a PROXY protocol, say), and in whatever order its fields stand. */
function showsOwnCertificate({ transport_socket: socket = {} }: FilterChain): boolean {
  const asks = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    const { name, sds_config: config } = value as { readonly name?: unknown; readonly sds_config?: unknown };
    return (name === 'default' && config !== undefined) || Object.values(value).some(asks);
  };
  return asks(socket);
}
