import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { BackendRef, ReferenceGrant, WeightedBackendRef } from '../../policy/gateway-api.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { Service } from '../../policy/topology-kinds.ts';
import type { Destination } from '../../policy/virtual-service.ts';
import { isGranted } from './reference-grants.ts';

/** What backends are looked up in, and who is told of those that cannot be used. */
export interface BackendContext {
  /** By `<namespace>/<name>`. */
  readonly services: ReadonlyMap<string, Service>;
  readonly grants: readonly ReferenceGrant[];
  readonly clusterDomain: string;
  readonly bag: DiagnosticBag;
}

/** A rule of a route in whose field backends are named. */
export interface BackendPlace {
  readonly route: MeshObject<string>;
  readonly path: JsonPath;
  /** What becomes of the share of a backend that cannot be used. */
  readonly otherwise: string;
}

/** A backend with some of the load. */
export interface BackendShare<B> {
  /** In the list of the rule. */
  readonly index: number;
  readonly backend: B;
  readonly destination: Destination;
  readonly weight: number;
}

/** Who shares the load of a rule; `lost` is the weight of backends that cannot be used. */
export interface BackendShares<B = WeightedBackendRef> {
  readonly usable: readonly BackendShare<B>[];
  readonly lost: number;
  readonly faults: readonly BackendFault[];
}

/** Why a backend cannot be used: a reason of the standard's condition ResolvedRefs, and what is said. */
export interface BackendFault {
  readonly reason: 'InvalidKind' | 'RefNotPermitted' | 'BackendNotFound' | 'UnsupportedValue';
  /** `<namespace>/<name>` */
  readonly backend: string;
  readonly why: string;
}

/** The backends that get some of the load, each looked up; those that cannot be used are reported. */
export function shareBackends<B extends WeightedBackendRef>(
  backends: readonly B[],
  { route, path, otherwise }: BackendPlace,
  context: BackendContext,
): BackendShares<B> {
  let lost = 0;
  const faults: BackendFault[] = [];
  const usable = backends.flatMap((backend, index): readonly BackendShare<B>[] => {
    const { weight = 1 } = backend;
    if (weight === 0) return [];
    const found = findBackend(backend, { route, path: [...path, index], otherwise }, context);
    if ('host' in found) return [{ index, backend, destination: found, weight }];
    lost += weight;
    faults.push(found);
    return [];
  });
  return { usable, lost, faults };
}

/** The Service of a backend as routes name it; for one that cannot be used the reason, which is reported too. */
export function findBackend(
  { group = '', kind = 'Service', name, namespace, port }: BackendRef,
  { route, path, otherwise }: BackendPlace,
  { services, grants, clusterDomain, bag }: BackendContext,
): Destination | BackendFault {
  const owner = namespace ?? route.namespace;
  const report = (reason: BackendFault['reason'], field: string, why: string, isUnseen = false): BackendFault => {
    const backend = `${owner}/${name}`;
    bag.report('unusable-backend', route.document.spanOf([...path, field]), { backend, why, otherwise }, { isUnseen });
    return { reason, backend, why };
  };
  if (group !== '' || kind !== 'Service') {
    return report('InvalidKind', kind === 'Service' ? 'group' : 'kind', 'a backend is a Service of the empty group');
  }
  const reference = { fromKind: route.kind, fromNamespace: route.namespace, toKind: 'Service', name } as const;
  if (!isGranted({ ...reference, toNamespace: owner }, grants)) {
    return report(
      'RefNotPermitted',
      'namespace',
      `no ReferenceGrant of its namespace lets ${route.kind}s of "${route.namespace}" name it`,
    );
  }
  const service = services.get(`${owner}/${name}`);
  if (service === undefined) {
    const isUnseen = ![...services.values()].some((it) => it.namespace === owner);
    return report('BackendNotFound', 'name', 'there is no such Service', isUnseen);
  }
  if (service.spec.type === 'ExternalName') {
    return report('UnsupportedValue', 'name', 'a Service of type ExternalName is no backend');
  }
  const ports = (service.spec.ports ?? []).filter(({ protocol }) => (protocol ?? 'TCP') === 'TCP');
  if (port === undefined || !ports.some((it) => it.port === port)) {
    return report('BackendNotFound', 'port', `its ports are ${ports.map((it) => it.port).join(', ') || 'none'}`);
  }
  return { host: `${name}.${owner}.svc.${clusterDomain}`, port: { number: port } };
}
