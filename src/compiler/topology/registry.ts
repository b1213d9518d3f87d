import { append } from '../../lib/append.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import type { ServicePort } from './model.ts';
import { LabelIndex } from './selector.ts';
import type { WorkloadDraft } from './workloads.ts';

/** The workloads that services are resolved against, indexed once: each look-up is independent of the size of the mesh. */
export class Registry {
  readonly byLabels: LabelIndex<WorkloadDraft>;
  readonly #byName = new Map<string, WorkloadDraft>();
  readonly #byAddress = new Map<string, WorkloadDraft[]>();

  constructor(workloads: readonly WorkloadDraft[]) {
    this.byLabels = new LabelIndex(workloads);
    for (const workload of workloads) {
      if (workload.kind === 'Pod') this.#byName.set(keyOf(workload.namespace, workload.name), workload);
      if (workload.sharesAddress) continue;
      for (const address of workload.addresses) append(this.#byAddress, address, workload);
    }
  }

  /** The pod that an endpoint names, else the workload that has the address, in the endpoint's namespace first. */
  find(namespace: string, address: string, reference: kinds.ObjectReference | undefined): WorkloadDraft | undefined {
    if (reference?.kind === 'Pod' && reference.name !== undefined) {
      const pod = this.#byName.get(keyOf(reference.namespace ?? namespace, reference.name));
      if (pod !== undefined) return pod;
    }
    const owners = this.#byAddress.get(address) ?? [];
    return owners.find((workload) => workload.namespace === namespace) ?? owners[0];
  }
}

/** What the cluster recorded of the endpoints of one service. */
export interface Records {
  readonly endpoints: kinds.Endpoints | undefined;
  readonly slices: readonly kinds.EndpointSlice[];
}

/** The cluster's records by service. */
export class RecordIndex {
  readonly #endpoints = new Map<string, kinds.Endpoints>();
  readonly #slices = new Map<string, kinds.EndpointSlice[]>();

  constructor(endpoints: readonly kinds.Endpoints[], slices: readonly kinds.EndpointSlice[]) {
    for (const object of endpoints) this.#endpoints.set(keyOf(object.namespace, object.name), object);
    for (const slice of slices) {
      const service = slice.labels['kubernetes.io/service-name'];
      if (service !== undefined) append(this.#slices, keyOf(slice.namespace, service), slice);
    }
  }

  of({ namespace, name }: { readonly namespace: string; readonly name: string }): Records {
    const key = keyOf(namespace, name);
    return { endpoints: this.#endpoints.get(key), slices: this.#slices.get(key) ?? [] };
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
