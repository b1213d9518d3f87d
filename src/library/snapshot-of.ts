import type { Decided, EffectiveMtlsMode, EffectiveSubset } from '../compiler/merge/effective.ts';
import type { EffectiveVirtualService } from '../compiler/merge/effective-virtual-service.ts';
import { meshJson } from '../compiler/render/mesh-json.ts';
import { createLocator, fragmentJson, type Locate } from '../compiler/render/origins-json.ts';
import { explainRootNamespace } from '../compiler/root-namespace.ts';
import type { Snapshot } from '../compiler/snapshot.ts';
import { writtenField } from '../policy/written-field.ts';
import type { SourceFile } from '../source/document.ts';
import type {
  Decision,
  MeshSnapshot,
  MtlsDecision,
  PortTraffic,
  RoutesInForce,
  SnapshotObject,
  SubsetPolicies,
} from './snapshot.ts';

type MeshObject = Snapshot['objects'][number];
type Origins = Decided<unknown>['origins'];

/** The compiler's snapshot of these texts in the form that users of the library read. */
export function snapshotOf(snapshot: Snapshot, files: readonly SourceFile[]): MeshSnapshot {
  return readableSnapshot(snapshot, files).snapshot;
}

/** The same, and the compiler's object for each object of it. */
export function readableSnapshot(snapshot: Snapshot, files: readonly SourceFile[]) {
  const locate = createLocator(files);
  // By document: merging hands copies of VirtualServices on.
  const shown = new Map(snapshot.objects.map((object) => [object.document, objectOf(object, locate)]));
  const sources = new Map(snapshot.objects.map((object) => [shown.get(object.document), object]));
  return {
    snapshot: readable(snapshot, shown, locate),
    sourceOf: (object: SnapshotObject): MeshObject | undefined => sources.get(object),
  };
}

function readable(
  snapshot: Snapshot,
  shown: ReadonlyMap<MeshObject['document'], SnapshotObject>,
  locate: Locate,
): MeshSnapshot {
  const { settings, topology, effective, decidedRoot, objects } = snapshot;
  const decision = decisionOf(locate);
  const mtls = ({ value, origins }: Decided<EffectiveMtlsMode>): MtlsDecision => ({
    mode: value,
    ...decision(origins),
  });
  const named = (some: readonly MeshObject[]): readonly SnapshotObject[] =>
    some.flatMap((object) => shown.get(writtenField(object, []).object.document) ?? []);
  const routes = (service: EffectiveVirtualService): readonly RoutesInForce[] =>
    named([service]).map((object) => {
      const owners = named(service.blocks.map(({ owner }) => owner));
      return { object, delegates: [...new Set(owners)].filter((owner) => owner !== object) };
    });
  const workloads = new Map(topology.workloads.map((workload) => [keyOf(workload), workload]));
  return {
    format: 1,
    rootNamespace: explainRootNamespace(objects, settings, decidedRoot),
    mesh: meshJson(topology, settings),
    objects: [...shown.values()],
    inbound: (name) => {
      const workload = workloads.get(keyOf(name));
      if (workload === undefined) return undefined;
      const { mode, ports } = effective.inbound(workload);
      return {
        mtls: mtls(mode),
        ports: [...ports].sort(([a], [b]) => a - b).map(([port, decided]) => ({ port, ...mtls(decided) })),
        requestAuthentications: named(effective.requestAuthentications(workload)),
        authorizationPolicies: named(effective.authorizationPolicies(workload)),
        gateways: named(effective.gateways(workload)),
      };
    },
    outbound: (name) => {
      const workload = workloads.get(keyOf(name));
      if (workload === undefined) return undefined;
      const scope = snapshot.scopeOf(workload);
      const services = effective.outbound(scope).map(({ service, subsets, serviceMode }) => ({
        host: service.host,
        namespace: service.namespace,
        serviceMtls: mtls(serviceMode),
        subsets: subsets.map((subset) => subsetOf(subset, decision)),
      }));
      return { services, virtualServices: effective.virtualServices(scope).flatMap(routes) };
    },
  };
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

function objectOf({ kind, namespace, name, document }: MeshObject, locate: Locate): SnapshotObject {
  const { line, column } = locate(document.start) ?? { line: 1, column: 1 };
  const value = kind === 'Secret' ? undefined : document.value;
  return { kind, namespace, name, file: document.file, line, column, value };
}

function decisionOf(locate: Locate): (origins: Origins) => Decision {
  return (origins) => {
    const { decidedBy, overrode } = fragmentJson({ path: '', ...origins }, locate);
    return { decidedBy, overrode };
  };
}

function subsetOf(
  { name, labels, traffic, origins }: EffectiveSubset,
  decision: (origins: Origins) => Decision,
): SubsetPolicies {
  const ports = [...traffic].map(
    ([port, { blocks, origins }]): PortTraffic => ({ port, traffic: { ...blocks }, ...decision(origins) }),
  );
  return { name, labels, ports, ...decision(origins) };
}
