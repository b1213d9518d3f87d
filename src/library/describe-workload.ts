import { entrancesOf } from '../access/describe/entrances.ts';
import { routesInOf } from '../access/describe/routes-in.ts';
import type { InForce, MtlsInForce, ServiceOut, WorkloadDescription } from '../access/description.ts';
import { keyOf, type World } from '../access/world.ts';
import type { Decided } from '../compiler/merge/effective.ts';
import type { EffectiveVirtualService } from '../compiler/merge/effective-virtual-service.ts';
import { ownRoutes } from '../compiler/merge/own-routes.ts';
import { createLocator, fragmentJson } from '../compiler/render/origins-json.ts';
import type { Snapshot } from '../compiler/snapshot.ts';
import type { MeshWorkload } from '../contracts/mesh-file.ts';
import type { OriginsFile } from '../contracts/origins-file.ts';
import type { MeshObject } from '../policy/object.ts';
import { writtenField } from '../policy/written-field.ts';
import type { SourceFile } from '../source/document.ts';
import { fieldOf, type PlaceOf, rulesInForce, tokensInForce } from './rules-in-force.ts';

/** What is known of the mesh that a workload is described in. */
export interface DescribedMesh {
  readonly snapshot: Snapshot;
  readonly world: World;
  readonly originsOf: (workload: string) => OriginsFile;
  /** The inputs. */
  readonly files: readonly SourceFile[];
}

type DecisionOf = (origins: Decided<unknown>['origins']) => InForce;

/** What is in force at a workload of the mesh, and who gets in there. */
export function describeWorkload(workload: MeshWorkload, mesh: DescribedMesh): WorkloadDescription {
  const { snapshot, world, originsOf, files } = mesh;
  const locate = createLocator(files);
  const placeOf: PlaceOf = (object, field) => {
    const span = object.document.spanOf(field);
    return { ...fieldOf(object, field), file: span.file, ...locate(span) };
  };
  const decisionOf: DecisionOf = (origins) => {
    const { decidedBy, overrode } = fragmentJson({ path: '', ...origins }, locate);
    return { decidedBy, overrode };
  };
  const { effective } = snapshot;
  const rules = rulesInForce(effective.authorizationPolicies(workload), placeOf);
  const words = new Map(
    rules.map((rule, i) => [rule.name, { label: `rule ${i + 1}`, words: rule.words.join(', ') }] as const),
  );
  const { namespace, name, role, identity, addresses } = workload;
  const object = snapshot.topology.workloads.find((one) => keyOf(one) === keyOf(workload))?.object;
  // The object stands for a pod, where the input has none.
  const kind = String(object?.document.value.kind ?? workload.kind);
  const proxy = world.proxies.get(keyOf(workload));
  return {
    ...{ workload: { namespace, name }, kind, role, identity, addresses },
    entrances: entrancesOf(workload, world.mesh, proxy, (rule) => words.get(rule)),
    mtls: role === 'router' ? [] : mtlsOf(snapshot, workload, decisionOf),
    tokens: tokensInForce(effective.requestAuthentications(workload), placeOf),
    rules,
    routesIn: routesInOf(workload, proxy, originsOf(keyOf(workload))),
    ...routesOutOf(snapshot, workload, decisionOf, placeOf),
  };
}

function mtlsOf(
  { effective }: Snapshot,
  workload: Pick<MeshWorkload, 'namespace' | 'name'>,
  decisionOf: DecisionOf,
): readonly MtlsInForce[] {
  const { mode, ports } = effective.inbound(workload);
  const own = [...ports].sort(([a], [b]) => a - b);
  return [
    ...own.map(([port, { value, origins }]) => ({ port, mode: value, ...decisionOf(origins) })),
    { mode: mode.value, ...decisionOf(mode.origins) },
  ];
}

function routesOutOf(
  snapshot: Snapshot,
  { namespace, name, role }: MeshWorkload,
  decisionOf: DecisionOf,
  placeOf: PlaceOf,
): Pick<WorkloadDescription, 'routesOut' | 'otherServices' | 'virtualServices'> {
  const own = snapshot.topology.workloads.find((one) => one.namespace === namespace && one.name === name);
  const workload = role === 'none' ? undefined : own;
  if (workload === undefined) return { routesOut: [], otherServices: 0, virtualServices: [] };
  const scope = snapshot.scopeOf(workload);
  const outbound = snapshot.effective.outbound(scope);
  const services = outbound.map(({ service: { host }, subsets }): ServiceOut => {
    const settings = subsets.flatMap(({ name: subset, traffic }) =>
      [...traffic].map(([port, { blocks, origins }]) => ({
        ...{ subset, port, traffic: { ...blocks } },
        ...decisionOf(origins),
      })),
    );
    return { host, settings: settings.filter(({ decidedBy }) => decidedBy.length > 0) };
  });
  const routesOut = services.filter(({ settings }) => settings.length > 0);
  return {
    routesOut,
    otherServices: services.length - routesOut.length,
    virtualServices: ownRoutes(snapshot.effective, scope, { namespace, name, role }).map((service) => ({
      ...placeOf(ownerOf(service), ['spec']),
      field: `spec, hosts ${(service.spec.hosts ?? []).join(', ')}`,
    })),
  };
}

/** The route of the Gateway API that a VirtualService was made of; an object of the input is its own. */
function ownerOf(service: EffectiveVirtualService): MeshObject<string> {
  const kind = (['http', 'tls', 'tcp'] as const).find((one) => (service.spec[one] ?? []).length > 0);
  return kind === undefined ? service : writtenField(service, ['spec', kind, 0]).object;
}
