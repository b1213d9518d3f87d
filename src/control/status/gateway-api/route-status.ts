import { standardGroup } from '../../../policy/gateway-api.ts';
import type { ConditionWords } from '../condition.ts';
import type { StandardMesh } from './standard-mesh.ts';
import {
  isFalse,
  isTrue,
  isUnknown,
  type ParentReference,
  type ParentStatus,
  type StandardStatus,
} from './standard-status.ts';
import { fieldOf, itemsOf, type StandardSubject, textOf } from './standard-subject.ts';

type Outcome = StandardMesh['outcome'];
type Route = Outcome['attachments'][number]['route'];
type ParentOutcome = NonNullable<ReturnType<Outcome['parents']['get']>>[number];

/** The status of a route: an entry for each of its references that leads to a Gateway of ours. */
export function routeStatus(subject: StandardSubject, mesh: StandardMesh): StandardStatus | undefined {
  const { kind, namespace, name, value, errors } = subject;
  const route = mesh.object(kind, namespace, name) as Route | undefined;
  const isInForce = errors.length === 0;
  if (isInForce && route === undefined) return undefined;
  const parents = itemsOf(value, 'spec', 'parentRefs').flatMap((written, i): readonly ParentStatus[] => {
    const parentRef = referenceOf(written);
    const gateway = parentRef && mesh.gateway(parentRef.namespace ?? namespace, parentRef.name);
    const controllerName = gateway && mesh.controllerOf(gateway.spec.gatewayClassName);
    if (parentRef === undefined || controllerName === undefined) return [];
    const outcome = isInForce && route !== undefined ? mesh.outcome.parents.get(route)?.[i] : undefined;
    const conditions =
      route === undefined || outcome === undefined
        ? invalid(subject, route !== undefined)
        : [accepted(route, outcome, mesh), resolvedRefs(route, mesh)];
    return [{ parentRef, controllerName, conditions }];
  });
  return { parents };
}

/** Undefined: it leads to something other than a Gateway. */
function referenceOf(written: unknown): ParentReference | undefined {
  const read = (field: string): string | undefined => {
    const found = fieldOf(written, field);
    return typeof found === 'string' ? found : undefined;
  };
  const [group, kind, name] = [read('group') ?? standardGroup, read('kind') ?? 'Gateway', read('name')];
  if (group !== standardGroup || kind !== 'Gateway' || name === undefined) return undefined;
  const [namespace, sectionName, port] = [read('namespace'), read('sectionName'), fieldOf(written, 'port')];
  return {
    ...{ group, kind },
    ...(namespace !== undefined && { namespace }),
    name,
    ...(sectionName !== undefined && { sectionName }),
    ...(typeof port === 'number' && { port }),
  };
}

function invalid({ errors }: StandardSubject, hasLast: boolean): readonly ConditionWords[] {
  const rest = hasLast ? '; the last valid version of the route is in force' : '; no version of the route is in force';
  return [
    isFalse('Accepted', 'UnsupportedValue', textOf(errors, rest)),
    isUnknown('ResolvedRefs', 'the route is not valid'),
  ];
}

function accepted(route: Route, { gateway, listeners, fault }: ParentOutcome, mesh: StandardMesh): ConditionWords {
  if (fault !== undefined) return isFalse('Accepted', fault.reason, fault.why);
  const unserved = gateway && mesh.outcome.gateways.unserved.get(gateway);
  if (unserved !== undefined) return isUnknown('Accepted', `the Gateway is not served: ${unserved.why}`);
  if (listeners.some((listener) => mesh.routesAt(listener).has(route))) {
    return isTrue('Accepted', 'Accepted', 'listeners of the Gateway serve the route');
  }
  return isFalse('Accepted', 'HostnameConflict', 'an older route has its host names at the listeners');
}

function resolvedRefs(route: Route, { outcome }: StandardMesh): ConditionWords {
  const faults = outcome.faults.get(route) ?? [];
  const [first] = faults;
  if (first === undefined) return isTrue('ResolvedRefs', 'ResolvedRefs', 'all backends can be used');
  const findings = faults.map(({ backend, why }) => ({ message: `backend "${backend}" cannot be used: ${why}` }));
  return isFalse('ResolvedRefs', first.reason, textOf(findings));
}
