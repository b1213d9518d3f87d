import { append } from '../../lib/append.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import type { ServicePort } from './model.ts';
import { LabelIndex } from './selector.ts';
import type { WorkloadDraft } from './workloads.ts';

/** Everything that services are resolved against, indexed once: each look-up is independent of the size of the mesh. */
export class Registry {
  readonly byLabels: LabelIndex<WorkloadDraft>;
  readonly #byName = new Map<string, WorkloadDraft>();
  readonly #byAddress = new Map<string, WorkloadDraft[]>();
  readonly #endpoints = new Map<string, kinds.Endpoints>();
  readonly #slices = new Map<string, kinds.EndpointSlice[]>();

  constructor(
    workloads: readonly WorkloadDraft[],
    endpoints: readonly kinds.Endpoints[],
    slices: readonly kinds.EndpointSlice[],
  ) {
    this.byLabels = new LabelIndex(workloads);
    for (const workload of workloads) {
      if (workload.kind === 'Pod') this.#byName.set(keyOf(workload.namespace, workload.name), workload);
      if (workload.sharesAddress) continue;
      for (const address of workload.addresses) append(this.#byAddress, address, workload);
    }
    for (const object of endpoints) this.#endpoints.set(keyOf(object.namespace, object.name), object);
    for (const slice of slices) {
      const service = slice.labels['kubernetes.io/service-name'];
      if (service !== undefined) append(this.#slices, keyOf(slice.namespace, service), slice);
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

  endpointsOf(namespace: string, service: string): kinds.Endpoints | undefined {
    return this.#endpoints.get(keyOf(namespace, service));
  }

  slicesOf(namespace: string, service: string): readonly kinds.EndpointSlice[] | undefined {
    return this.#slices.get(keyOf(namespace, service));
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
