import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { hasLabels, selects } from '../../compiler/topology/selector.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { Server } from '../../policy/gateway.ts';
import { workloadsByPolicy } from './in-force.ts';

/**
 * What certificates the servers of a gateway ask their clients for: those of the mesh, others, which may have identities
 * like them, or none.
 */
export type GatewayIdentity = 'mesh' | 'others' | 'none' | 'unknown';

/** Modes by which a server may learn of an identity from a certificate that the mesh has not issued. */
const modesOfOthers: ReadonlySet<string> = new Set(['MUTUAL', 'OPTIONAL_MUTUAL', 'AUTO_PASSTHROUGH']);

/**
 * What the clients of the gateways that a policy is for have; undefined where one of its proxies is a sidecar, and where nothing
 * says that it is for gateways. Without workloads in the input the Gateways of its selector tell, and its labels.
 */
export function gatewayIdentity(policy: AuthorizationPolicy, snapshot: Snapshot): GatewayIdentity | undefined {
  const workloads = workloadsByPolicy(snapshot).get(policy) ?? [];
  if (workloads.length > 0) {
    if (workloads.some(({ role }) => role !== 'router')) return undefined;
    const identities = workloads.map((workload) => ofWorkload(workload, snapshot));
    return mostOf(identities);
  }
  const wanted = policy.spec.selector?.matchLabels ?? {};
  if (!hasLabels(policy.spec.selector)) return undefined;
  const gateways = snapshot.policies.gateways.filter(({ spec }) => {
    const { selector = {} } = spec;
    return Object.keys(selector).length > 0 && (selects(selector, wanted) || selects(wanted, selector));
  });
  if (gateways.flatMap(({ spec }) => spec.servers).some(asksForMesh)) return 'mesh';
  const isNamedGateway = Object.values(wanted).some((value) => /gateway|ingress|egress/i.test(value));
  return gateways.length > 0 || isNamedGateway ? 'unknown' : undefined;
}

function ofWorkload(workload: Workload, { effective }: Snapshot): GatewayIdentity {
  const servers = effective.gateways(workload).flatMap(({ spec }) => spec.servers);
  if (servers.length === 0) return 'unknown';
  if (servers.some(asksForMesh)) return 'mesh';
  return servers.some(({ tls }) => tls?.mode !== undefined && modesOfOthers.has(tls.mode)) ? 'others' : 'none';
}

function asksForMesh({ tls }: Server): boolean {
  return tls?.mode === 'MESH_MUTUAL';
}

function mostOf(found: readonly GatewayIdentity[]): GatewayIdentity {
  return (['mesh', 'unknown', 'others'] as const).find((it) => found.includes(it)) ?? 'none';
}
