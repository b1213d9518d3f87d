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

export function findWorkload({ mesh }: World, name: WorkloadName): MeshWorkload | undefined {
  return workloadIndex(mesh.workloads).byName.get(keyOf(name));
}

/** The workload that has an IP address; the first one where several do. */
export function workloadAt({ mesh }: World, address: string): MeshWorkload | undefined {
  return workloadIndex(mesh.workloads).byAddress.get(address);
}

interface WorkloadIndex {
  readonly byName: ReadonlyMap<string, MeshWorkload>;
  readonly byAddress: ReadonlyMap<string, MeshWorkload>;
}

function workloadIndex(workloads: World['mesh']['workloads']): WorkloadIndex {
  const known = indexes.get(workloads);
  if (known !== undefined) return known;
  const [byName, byAddress] = [new Map<string, MeshWorkload>(), new Map<string, MeshWorkload>()];
  for (const workload of workloads) {
    const key = keyOf(workload);
    if (!byName.has(key)) byName.set(key, workload);
    for (const one of workload.addresses) if (!byAddress.has(one)) byAddress.set(one, workload);
  }
  indexes.set(workloads, { byName, byAddress });
  return { byName, byAddress };
}

const indexes = new WeakMap<World['mesh']['workloads'], WorkloadIndex>();

/** A service by its host, or by a shorter name as a client in `namespace` may write it. */
export function findService({ mesh }: World, host: string, namespace: string): MeshService | undefined {
  const exact = serviceByHost(mesh.services, host);
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

function serviceByHost(services: World['mesh']['services'], host: string): MeshService | undefined {
  const known = byHost.get(services);
  if (known !== undefined) return known.get(host);
  const index = new Map<string, MeshService>();
  for (const service of services) if (!index.has(service.host)) index.set(service.host, service);
  byHost.set(services, index);
  return index.get(host);
}

const byHost = new WeakMap<World['mesh']['services'], ReadonlyMap<string, MeshService>>();
