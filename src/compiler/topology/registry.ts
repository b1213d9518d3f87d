import { isSameList } from '../../diagnostics/kept.ts';
import { append } from '../../lib/append.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import type { ServicePort } from './model.ts';
import { LabelIndex } from './selector.ts';
import { catalogAnnotation } from './workload-groups.ts';
import type { WorkloadDraft } from './workloads.ts';

/** The workloads that services are resolved against, indexed once: each look-up is independent of the size of the mesh. */
export class Registry {
  readonly byLabels: LabelIndex<WorkloadDraft>;
  /** Of workloads of one name the first: the others are of kinds that are not read. */
  readonly #byName = new Map<string, WorkloadDraft>();
  readonly #byAddress = new Map<string, WorkloadDraft[]>();
  readonly #unseenIn: ReadonlySet<string>;

  /** `unseenIn` are the namespaces that may have more workloads than these. */
  constructor(workloads: readonly WorkloadDraft[], unseenIn: ReadonlySet<string>) {
    this.#unseenIn = unseenIn;
    this.byLabels = new LabelIndex(workloads);
    for (const workload of workloads) {
      const key = keyOf(workload.namespace, workload.name);
      if (!this.#byName.has(key)) this.#byName.set(key, workload);
      if (workload.sharesAddress) continue;
      for (const address of workload.addresses) append(this.#byAddress, address, workload);
    }
  }

  get({ namespace, name }: Pick<WorkloadDraft, 'namespace' | 'name'>): WorkloadDraft | undefined {
    return this.#byName.get(keyOf(namespace, name));
  }

  /** Whether the inputs may leave out all of what runs in the namespace: they show nothing of it, or not what an object has made. */
  isUnseen(namespace: string): boolean {
    return this.#unseenIn.has(namespace) || this.byLabels.select(namespace, {}).length === 0;
  }

  /** The machine at the address that a registry has for its service; undefined: none is known. */
  ofService(namespace: string, address: string, service: string): WorkloadDraft | undefined {
    return this.#byAddress
      .get(address)
      ?.find((it) => it.namespace === namespace && it.annotations[catalogAnnotation] === service);
  }

  /**
   * The pod that an endpoint names, else the workload that has the address, in the endpoint's namespace first; undefined where
   * nobody is known at the address. Of other namespaces a pod comes before a WorkloadEntry: the cluster gives a pod its
   * address, and an entry claims any. Records of endpoints and pods are of different moments: where they contradict each
   * other, or two workloads have the address, nobody knows whose it is, and {@link Contradiction} says why.
   */
  find(
    namespace: string,
    address: string,
    reference: kinds.ObjectReference | undefined,
  ): WorkloadDraft | Contradiction | undefined {
    const all = this.#byAddress.get(address) ?? [];
    if (reference?.kind === 'Pod' && reference.name !== undefined) {
      const key = keyOf(reference.namespace ?? namespace, reference.name);
      const pod = this.#byName.get(key);
      if (pod?.kind !== 'Pod') return { contradiction: `the pod "${key}", which it names, is not among the inputs` };
      // A pod whose address is not known yet, or that has further networks, is believed to have it, unless another has.
      const other = pod.addresses.includes(address) ? undefined : all.find(({ kind }) => kind === 'Pod');
      return other === undefined || other === pod ? pod : { contradiction: ownsIt(other, key) };
    }
    const own = all.filter((workload) => workload.namespace === namespace);
    const pods = all.filter(({ kind }) => kind === 'Pod');
    const foreign = pods.length > 0 ? pods : all;
    const [first, ...more] = own.length > 0 ? own : foreign;
    const isDoubtful = (it: WorkloadDraft): boolean =>
      it.kind === first?.kind && (it.kind === 'Pod' || own.length === 0) && !isSame(first, it);
    const other = more.find(isDoubtful);
    return first === undefined || other === undefined ? first : { contradiction: bothOwnIt(first, other) };
  }
}

/** Why nobody knows whose an endpoint is. */
export interface Contradiction {
  readonly contradiction: string;
}

function ownsIt({ namespace, name }: WorkloadDraft, named: string): string {
  return `it names the pod "${named}", and its address is that of the pod "${keyOf(namespace, name)}"`;
}

function bothOwnIt(a: WorkloadDraft, b: WorkloadDraft): string {
  const kind = a.kind === 'Pod' ? 'pods' : 'WorkloadEntries';
  return `the ${kind} "${keyOf(a.namespace, a.name)}" and "${keyOf(b.namespace, b.name)}" both have its address`;
}

/** Whether it makes no difference to clients which of the two answers. */
function isSame(a: WorkloadDraft, b: WorkloadDraft): boolean {
  return a.identity === b.identity && a.hasSidecar === b.hasSidecar;
}

/** What the cluster recorded of the endpoints of one service. */
export interface Records {
  readonly endpoints: kinds.Endpoints | undefined;
  readonly slices: readonly kinds.EndpointSlice[];
}

const noRecords: Records = { endpoints: undefined, slices: [] };

/** The cluster's records by service: those of a service are the same object as in `before` where they are the same. */
export class RecordIndex {
  readonly #byService = new Map<string, Records>();

  constructor(
    endpoints: readonly kinds.Endpoints[],
    slices: readonly kinds.EndpointSlice[],
    before: RecordIndex | undefined,
  ) {
    const slicesOf = new Map<string, kinds.EndpointSlice[]>();
    for (const slice of slices) {
      const service = slice.labels['kubernetes.io/service-name'];
      if (service !== undefined) append(slicesOf, keyOf(slice.namespace, service), slice);
    }
    const endpointsOf = new Map(endpoints.map((object) => [keyOf(object.namespace, object.name), object]));
    for (const key of new Set([...endpointsOf.keys(), ...slicesOf.keys()])) {
      const fresh = { endpoints: endpointsOf.get(key), slices: slicesOf.get(key) ?? [] };
      const known = before === undefined ? undefined : before.#byService.get(key);
      const isSame = known?.endpoints === fresh.endpoints && isSameList(known?.slices ?? [], fresh.slices);
      this.#byService.set(key, known !== undefined && isSame ? known : fresh);
    }
  }

  of({ namespace, name }: { readonly namespace: string; readonly name: string }): Records {
    return this.#byService.get(keyOf(namespace, name)) ?? noRecords;
  }
}

/** Port of the workload that a service port is delivered to; undefined when the workload has no port of that name. */
export function containerPort(
  workload: WorkloadDraft,
  port: ServicePort,
  target: number | string | undefined,
): number | undefined {
  if (workload.kind === 'WorkloadEntry' && Object.hasOwn(workload.namedPorts, port.name)) {
    return workload.namedPorts[port.name];
  }
  if (typeof target !== 'string') return target ?? port.number;
  return Object.hasOwn(workload.namedPorts, target) ? workload.namedPorts[target] : undefined;
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
