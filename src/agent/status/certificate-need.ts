import { Fragment } from '../../envoy/api/fragment.ts';
import { asksForSecret } from '../../envoy/api/references.ts';
import type { ResourceFile } from '../../envoy/api/resource-file.ts';
import type { AgentConfig } from '../agent-config.ts';

/** Cluster without endpoints, to which a chain that only closes connections leads. */
const nowhere = 'BlackHoleCluster';

const ownCertificate = new Set(['default']);

/**
 * Whether callers can reach nothing of this proxy without the workload's own certificate: every filter chain that serves
 * callers shows it. Callers of a sidecar use its inbound listeners, those of a router all of them. False where nothing is
 * served at all.
 */
export function needsOwnCertificate(listeners: ResourceFile, role: AgentConfig['role']): boolean {
  const serving = listeners.resources
    .map(({ json }) => new Fragment(json))
    .filter((listener) => role === 'router' || listener.at('traffic_direction').text === 'INBOUND')
    .flatMap(chainsOf)
    .filter((chain) => !isClosing(chain));
  return serving.length > 0 && serving.every(showsOwnCertificate);
}

function chainsOf(listener: Fragment): readonly Fragment[] {
  const last = listener.at('default_filter_chain');
  return [...listener.at('filter_chains').items, ...(last.exists ? [last] : [])];
}

function isClosing(chain: Fragment): boolean {
  return chain.at('filters').last.at('typed_config', 'cluster').text === nowhere;
}

/** Whatever wraps the TLS of the chain, a PROXY protocol say. */
function showsOwnCertificate(chain: Fragment): boolean {
  return asksForSecret(chain.at('transport_socket').value, ownCertificate);
}
