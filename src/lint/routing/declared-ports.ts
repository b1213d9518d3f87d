import type { Snapshot } from '../../compiler/snapshot.ts';
import type { ServicePort, Topology } from '../../compiler/topology/model.ts';
import { LabelIndex, selects } from '../../compiler/topology/selector.ts';
import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import { append } from '../../lib/append.ts';
import type { MeshObject, WorkloadSelector } from '../../policy/object.ts';
import type * as kinds from '../../policy/topology-kinds.ts';

/** A service port, with the container port that its Service object gives as a number. */
export interface DeclaredPort {
  readonly service: string;
  readonly port: ServicePort;
  readonly targetPort: number;
}

interface Declaring {
  readonly namespace: string;
  /** The selector of the service: every pod of it has these. */
  readonly labels: Readonly<Record<string, string>>;
  readonly ports: readonly DeclaredPort[];
}

interface Declarations {
  readonly services: LabelIndex<Declaring>;
  readonly byTarget: ReadonlyMap<string, readonly Declaring[]>;
}

const known = new WeakMap<Topology, Declarations>();

/**
 * The ports that Service objects declare for the pods that a policy selects, where the input has no such workload: an
 * empty list where it has one, for then these tell more.
 */
export function declaredPorts(
  { namespace, spec }: MeshObject<string> & { readonly spec: { readonly selector?: WorkloadSelector } },
  { topology }: Pick<Snapshot, 'topology'>,
): readonly DeclaredPort[] {
  const wanted = spec.selector?.matchLabels;
  if (wanted === undefined || workloadsByLabels(topology).select(namespace, wanted).length > 0) return [];
  return declarationsOf(topology)
    .services.select(namespace, wanted)
    .flatMap(({ ports }) => ports);
}

/** Whether a service whose pods the policy may select delivers to the container port. */
export function mayListen(
  port: number,
  { namespace, spec }: MeshObject<string> & { readonly spec: { readonly selector?: WorkloadSelector } },
  { topology }: Pick<Snapshot, 'topology'>,
): boolean {
  const wanted = spec.selector?.matchLabels ?? {};
  const declaring = declarationsOf(topology).byTarget.get(`${namespace} ${port}`) ?? [];
  return declaring.some(({ labels }) => selects(commonLabels(wanted, labels), labels));
}

/** Those of the wanted labels of whose key the others have any. */
function commonLabels(
  wanted: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => others[key] !== undefined));
}

function declarationsOf(topology: Topology): Declarations {
  const found = known.get(topology) ?? declared(topology);
  known.set(topology, found);
  return found;
}

function declared({ services }: Topology): Declarations {
  const declaring: Declaring[] = [];
  const byTarget = new Map<string, Declaring[]>();
  for (const { kind, namespace, name, object, ports } of services) {
    const { selector, ports: written = [] } = (object as kinds.Service).spec;
    if (kind !== 'Service' || selector === undefined || Object.keys(selector).length === 0) continue;
    const own = ports.flatMap((port) => {
      const targetPort = written.find((it) => it.port === port.number)?.targetPort ?? port.number;
      return typeof targetPort === 'number' ? [{ service: `${namespace}/${name}`, port, targetPort }] : [];
    });
    const it = { namespace, labels: selector, ports: own };
    declaring.push(it);
    for (const { targetPort } of own) append(byTarget, `${namespace} ${targetPort}`, it);
  }
  return { services: new LabelIndex(declaring), byTarget };
}
