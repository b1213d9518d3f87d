import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Kept, keptList } from '../../diagnostics/kept.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { StandardSet } from '../../policy/gateway-api.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import type { Namespace, Service } from '../../policy/topology-kinds.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { attach } from './attachment.ts';
import { HttpRules } from './http-rules.ts';
import { httpServices } from './http-services.ts';
import { servedListeners } from './listeners.ts';
import { keptObjects, type Made } from './made-object.ts';

/** The objects of one mesh that objects of the Gateway API are understood by. */
export interface StandardInput {
  readonly standard: StandardSet;
  readonly services: readonly Service[];
  readonly namespaces: readonly Namespace[];
}

/** Adds what objects of the Gateway API say, as Gateways and VirtualServices, to the policies of a mesh. */
export type AddStandard = (policies: PolicySet, input: StandardInput, bag: DiagnosticBag) => PolicySet;

interface MadeObjects {
  readonly gateways: readonly Made<Gateway>[];
  readonly virtualServices: readonly Made<VirtualService>[];
}

/** Adds again and again: what means the same as before is the same object. */
export function createStandard({ clusterDomain }: Settings): AddStandard {
  const made = new Kept<MadeObjects>('objects of the Gateway API');
  const added = new Kept<PolicySet>('policies with those of the Gateway API');
  return (policies, { standard, services, namespaces }, bag) => {
    if (Object.values(standard).every((list) => list.length === 0)) return policies;
    const inputs = [...Object.values(standard), services, namespaces];
    const { gateways, virtualServices } = made.of(inputs, bag, (own, before) => {
      const fresh = translate({ standard, services, namespaces }, clusterDomain, own);
      return {
        gateways: keptList(before?.gateways, keptObjects(before?.gateways ?? [], fresh.gateways)),
        virtualServices: keptList(
          before?.virtualServices,
          keptObjects(before?.virtualServices ?? [], fresh.virtualServices),
        ),
      };
    });
    return added.of([policies, gateways, virtualServices], bag, () => ({
      ...policies,
      gateways: [...policies.gateways, ...gateways.map(({ object }) => object)],
      virtualServices: [...policies.virtualServices, ...virtualServices.map(({ object }) => object)],
    }));
  };
}

function translate(
  { standard, services, namespaces }: StandardInput,
  clusterDomain: string,
  bag: DiagnosticBag,
): MadeObjects {
  const { gatewayClasses: classes, gateways, httpRoutes, referenceGrants: grants } = standard;
  const byName = new Map(services.map((service) => [`${service.namespace}/${service.name}`, service]));
  const listeners = servedListeners(gateways, { classes, services: byName, clusterDomain }, grants, bag);
  const attachments = attach(httpRoutes, { gateways, listeners, namespaces }, bag);
  const rules = new HttpRules({ services: byName, grants, clusterDomain, bag });
  return {
    gateways: listeners.map(({ made }) => made),
    virtualServices: httpServices(listeners, attachments, rules),
  };
}
