import type { MeshFile, MeshService, MeshWorkload } from '../contracts/mesh-file.ts';
import type { LiftedProxy } from './lift-proxy.ts';

/** A mesh whose requests are predicted: its workloads, and the configuration of each proxy. */
export interface World {
  readonly mesh: MeshFile;
  /** By `namespace/name` of the workload. */
  readonly proxies: ReadonlyMap<string, LiftedProxy>;
}

export interface WorkloadName {
  readonly namespace: string;
  readonly name: string;
}

export function keyOf({ namespace, name }: WorkloadName): string {
  return `${namespace}/${name}`;
}

export function findWorkload({ mesh }: World, { namespace, name }: WorkloadName): MeshWorkload | undefined {
  return mesh.workloads.find((workload) => workload.namespace === namespace && workload.name === name);
}

/** The workload that has an IP address; the first one where several do. */
export function workloadAt({ mesh }: World, address: string): MeshWorkload | undefined {
  let index = byAddress.get(mesh.workloads);
  if (index === undefined) {
    index = new Map();
    for (const workload of mesh.workloads) {
      for (const one of workload.addresses) if (!index.has(one)) index.set(one, workload);
    }
    byAddress.set(mesh.workloads, index);
  }
  return index.get(address);
}

const byAddress = new WeakMap<World['mesh']['workloads'], Map<string, MeshWorkload>>();

/** A service by its host, or by a shorter name as a client in `namespace` may write it. */
export function findService({ mesh }: World, host: string, namespace: string): MeshService | undefined {
  const exact = mesh.services.find((service) => service.host === host);
  if (exact !== undefined) return exact;
  const [name, other = namespace] = host.split('.');
  return mesh.services.find(
    (service) =>
      service.kind === 'Service' &&
      service.namespace === other &&
      service.host.startsWith(`${name}.`) &&
      (host === name || `${service.host}.`.startsWith(`${host}.`)),
  );
}
