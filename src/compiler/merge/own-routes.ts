import { boundGateways } from '../topology/gateway-name.ts';
import type { ClientScope, Effective, WorkloadKey } from './effective.ts';
import type { EffectiveVirtualService } from './effective-virtual-service.ts';

/** The VirtualServices of a scope that are for a workload's proxy: at a gateway those of its Gateways, else those of sidecars. */
export function ownRoutes(
  effective: Pick<Effective, 'gateways' | 'virtualServices'>,
  scope: Pick<ClientScope, 'namespace' | 'egress'>,
  { role, ...workload }: WorkloadKey & { readonly role: string },
): readonly EffectiveVirtualService[] {
  const gateways = effective.gateways(workload).map(({ namespace, name }) => `${namespace}/${name}`);
  const own = new Set(role === 'router' ? gateways : ['mesh']);
  const all = effective.virtualServices(scope);
  return all.filter(({ spec, namespace }) => boundGateways(spec.gateways, namespace).some((one) => own.has(one)));
}
