import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { hasLabels, selects } from '../../compiler/topology/selector.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { Server } from '../../policy/gateway.ts';
import { workloadsByPolicy } from './in-force.ts';

/** Whether clients of the proxies that a policy is for have identities of the mesh; at a gateway its servers decide. */
export type GatewayIdentity = 'none' | 'some' | 'unknown';

/** Modes by which a server may learn of an identity from a certificate of its client. */
const askingModes: ReadonlySet<string> = new Set(['MESH_MUTUAL', 'MUTUAL', 'OPTIONAL_MUTUAL', 'AUTO_PASSTHROUGH']);

/**
 * What the clients of the gateways that a policy is for have; undefined where one of its proxies is a sidecar, and where nothing
 * says that it is for gateways. Without workloads in the input the Gateways of its selector tell, and its labels.
 */
export function gatewayIdentity(policy: AuthorizationPolicy, snapshot: Snapshot): GatewayIdentity | undefined {
  const workloads = workloadsByPolicy(snapshot).get(policy) ?? [];
  if (workloads.length > 0) {
    if (workloads.some(({ role }) => role !== 'router')) return undefined;
    const identities = workloads.map((workload) => ofWorkload(workload, snapshot));
    if (identities.includes('some')) return 'some';
    return identities.includes('unknown') ? 'unknown' : 'none';
  }
  const wanted = policy.spec.selector?.matchLabels ?? {};
  if (!hasLabels(policy.spec.selector)) return undefined;
  const gateways = snapshot.policies.gateways.filter(({ spec }) => {
    const { selector = {} } = spec;
    return Object.keys(selector).length > 0 && (selects(selector, wanted) || selects(wanted, selector));
  });
  if (gateways.some(({ spec }) => spec.servers.some(asksForIdentity))) return 'some';
  const isNamedGateway = Object.values(wanted).some((value) => /gateway|ingress|egress/i.test(value));
  return gateways.length > 0 || isNamedGateway ? 'unknown' : undefined;
}

function ofWorkload(workload: Workload, { effective }: Snapshot): GatewayIdentity {
  const servers = effective.gateways(workload).flatMap(({ spec }) => spec.servers);
  if (servers.length === 0) return 'unknown';
  return servers.some(asksForIdentity) ? 'some' : 'none';
}

function asksForIdentity({ tls }: Server): boolean {
  return tls?.mode !== undefined && askingModes.has(tls.mode);
}
