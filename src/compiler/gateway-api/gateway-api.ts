import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Kept, keptList } from '../../diagnostics/kept.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { RequestRoute, StandardSet } from '../../policy/gateway-api.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import type { RequestAuthentication } from '../../policy/request-authentication.ts';
import type { Namespace, Service } from '../../policy/topology-kinds.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { attach } from './attachment.ts';
import { BoundPolicies, isBound } from './bound-policies.ts';
import { HttpRules } from './http-rules.ts';
import { httpServices } from './http-services.ts';
import { servedListeners } from './listeners.ts';
import { keptObjects, type Made } from './made-object.ts';
import { withoutConflicts } from './route-conflicts.ts';
import { type ServedGateways, servedGateways } from './served-gateways.ts';
import { tlsServices } from './tls-services.ts';

/** The objects of one mesh that objects of the Gateway API are understood by. */
export interface StandardInput {
  readonly standard: StandardSet;
  readonly services: readonly Service[];
  readonly namespaces: readonly Namespace[];
}

/**
 * Adds what objects of the Gateway API say, as Gateways and VirtualServices, to the policies of a mesh, and gives selectors to
 * the policies that are bound to Gateways.
 */
export type AddStandard = (policies: PolicySet, input: StandardInput, bag: DiagnosticBag) => PolicySet;

interface MadeObjects {
  readonly served: ServedGateways;
  readonly gateways: readonly Made<Gateway>[];
  readonly virtualServices: readonly Made<VirtualService>[];
}

/** Adds again and again: what means the same as before is the same object. */
export function createStandard({ clusterDomain }: Settings): AddStandard {
  const made = new Kept<MadeObjects>('objects of the Gateway API');
  const bind = createBinding();
  const added = new Kept<PolicySet>('policies with those of the Gateway API');
  return (policies, { standard, services, namespaces }, bag) => {
    const isAbsent = Object.values(standard).every((list) => list.length === 0);
    if (isAbsent && ![...policies.authorizationPolicies, ...policies.requestAuthentications].some(isBound)) {
      return policies;
    }
    const inputs = [...Object.values(standard), services, namespaces];
    const { gateways, virtualServices, served } = made.of(inputs, bag, (own, before) => {
      const fresh = translate({ standard, services, namespaces }, clusterDomain, own);
      return {
        served: fresh.served,
        gateways: keptList(before?.gateways, keptObjects(before?.gateways ?? [], fresh.gateways)),
        virtualServices: keptList(
          before?.virtualServices,
          keptObjects(before?.virtualServices ?? [], fresh.virtualServices),
        ),
      };
    });
    const { authorizationPolicies, requestAuthentications } = bind(policies, standard, served, bag);
    const parts = [policies, gateways, virtualServices, authorizationPolicies, requestAuthentications];
    return added.of(parts, bag, () => ({
      ...{ ...policies, authorizationPolicies, requestAuthentications },
      gateways: [...policies.gateways, ...gateways.map(({ object }) => object)],
      virtualServices: [...policies.virtualServices, ...virtualServices.map(({ object }) => object)],
    }));
  };
}

type Bound = Pick<PolicySet, 'authorizationPolicies' | 'requestAuthentications'>;

function createBinding() {
  const bound = new Kept<Bound>('policies of Gateways');
  const access = new BoundPolicies<AuthorizationPolicy>();
  const requests = new BoundPolicies<RequestAuthentication>();
  return (
    { authorizationPolicies, requestAuthentications }: Bound,
    { gateways, gatewayClasses: classes }: StandardSet,
    served: ServedGateways,
    bag: DiagnosticBag,
  ): Bound =>
    bound.of([authorizationPolicies, requestAuthentications, gateways, classes, served], bag, (own, before) => {
      const known = { gateways, served, classes };
      return {
        authorizationPolicies: keptList(before?.authorizationPolicies, access.of(authorizationPolicies, known, own)),
        requestAuthentications: keptList(
          before?.requestAuthentications,
          requests.of(requestAuthentications, known, own),
        ),
      };
    });
}

function translate(
  { standard, services, namespaces }: StandardInput,
  clusterDomain: string,
  bag: DiagnosticBag,
): MadeObjects {
  const { gatewayClasses: classes, gateways, httpRoutes, grpcRoutes, tlsRoutes, referenceGrants: grants } = standard;
  const byName = new Map(services.map((service) => [`${service.namespace}/${service.name}`, service]));
  const served = servedGateways(gateways, { classes, services: byName, clusterDomain }, bag);
  const listeners = servedListeners(served, grants, bag);
  const context = { gateways, listeners, namespaces };
  const attached = attach<RequestRoute>([...httpRoutes, ...grpcRoutes], context, bag);
  const backends = { services: byName, grants, clusterDomain, bag };
  return {
    served,
    gateways: listeners.map(({ made }) => made),
    virtualServices: [
      ...httpServices(listeners, withoutConflicts(attached, bag), new HttpRules(backends)),
      ...tlsServices(listeners, attach(tlsRoutes, context, bag), backends),
    ],
  };
}
