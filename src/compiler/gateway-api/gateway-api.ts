import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Kept, keptList } from '../../diagnostics/kept.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { RequestRoute, StandardSet, StandardTlsRoute } from '../../policy/gateway-api.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import type { RequestAuthentication } from '../../policy/request-authentication.ts';
import type { Namespace, Service } from '../../policy/topology-kinds.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { type AttachmentContext, attach } from './attachment.ts';
import type { BackendContext } from './backends.ts';
import { BoundPolicies, isBound } from './bound-policies.ts';
import { HttpRules } from './http-rules.ts';
import { httpServices } from './http-services.ts';
import { servedListeners } from './listeners.ts';
import { keptObjects, type Made } from './made-object.ts';
import { noStandardOutcome, type StandardOutcome } from './outcome.ts';
import { withoutConflicts } from './route-conflicts.ts';
import { type ServedGateways, servedGateways } from './served-gateways.ts';
import { withFreeNames } from './server-names.ts';
import { tlsServices, tlsShares } from './tls-services.ts';

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
export type AddStandard = (policies: PolicySet, input: StandardInput, bag: DiagnosticBag) => WithStandard;

/** The policies, and what became of the objects of the Gateway API. */
export interface WithStandard {
  readonly policies: PolicySet;
  readonly outcome: StandardOutcome;
}

interface MadeObjects {
  readonly outcome: StandardOutcome;
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
      return { policies, outcome: noStandardOutcome };
    }
    const inputs = [...Object.values(standard), services, namespaces];
    const { gateways, virtualServices, outcome } = made.of(inputs, bag, (own, before) => {
      const fresh = translate({ standard, services, namespaces }, clusterDomain, own);
      return {
        outcome: fresh.outcome,
        gateways: keptList(before?.gateways, keptObjects(before?.gateways ?? [], fresh.gateways)),
        virtualServices: keptList(
          before?.virtualServices,
          keptObjects(before?.virtualServices ?? [], fresh.virtualServices),
        ),
      };
    });
    const { authorizationPolicies, requestAuthentications } = bind(policies, standard, outcome.gateways.served, bag);
    const parts = [policies, gateways, virtualServices, authorizationPolicies, requestAuthentications];
    const whole = added.of(parts, bag, () => ({
      ...{ ...policies, authorizationPolicies, requestAuthentications },
      gateways: [...policies.gateways, ...gateways.map(({ object }) => object)],
      virtualServices: [...policies.virtualServices, ...virtualServices.map(({ object }) => object)],
    }));
    return { policies: whole, outcome };
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
  const found = servedGateways(gateways, { classes, services: byName, clusterDomain }, bag);
  const listeners = servedListeners(found.served, grants, bag);
  const context = { gateways, listeners, namespaces };
  const backends = { services: byName, grants, clusterDomain, bag };
  const [requests, connections] = [
    requestRoutes([...httpRoutes, ...grpcRoutes], context, backends),
    tlsRoutesOf(tlsRoutes, context, backends),
  ];
  return {
    outcome: {
      ...{ gateways: found, listeners },
      parents: new Map([...requests.parents, ...connections.parents]),
      attachments: [...requests.attachments, ...connections.attachments],
      faults: new Map([...requests.faults, ...connections.faults]),
    },
    gateways: listeners.map(({ made }) => made),
    virtualServices: [...requests.made, ...connections.made],
  };
}

/** What routes of one sort became. */
interface RoutesOutcome extends Pick<StandardOutcome, 'parents' | 'attachments' | 'faults'> {
  readonly made: readonly Made<VirtualService>[];
}

function requestRoutes(
  routes: readonly RequestRoute[],
  context: AttachmentContext,
  backends: BackendContext,
): RoutesOutcome {
  const { parents, attachments: all } = attach(routes, context, backends.bag);
  const attachments = withoutConflicts(all, backends.bag);
  const rules = new HttpRules(backends);
  const made = httpServices(context.listeners, attachments, rules);
  // Of routes that no listener serves nothing is said but that.
  const unserved = new HttpRules({ ...backends, bag: new DiagnosticBag() });
  const attached = new Set(attachments.map(({ route }) => route));
  const faults = new Map(routes.map((it) => [it, (attached.has(it) ? rules : unserved).faultsOf(it)]));
  return { parents, attachments, faults, made };
}

function tlsRoutesOf(
  routes: readonly StandardTlsRoute[],
  context: AttachmentContext,
  backends: BackendContext,
): RoutesOutcome {
  const { parents, attachments: all } = attach(routes, context, backends.bag);
  const attached = new Set(all.map(({ route }) => route));
  const silent = { ...backends, bag: new DiagnosticBag() };
  const shares = new Map(routes.map((it) => [it, tlsShares(it, attached.has(it) ? backends : silent)]));
  const attachments = withFreeNames(all, backends.bag);
  const made = tlsServices(context.listeners, attachments, shares);
  return { parents, attachments, faults: new Map([...shares].map(([it, { faults }]) => [it, faults])), made };
}
