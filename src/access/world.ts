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
  const known = workloadIndexes.get(workloads);
  if (known !== undefined) return known;
  const [byName, byAddress] = [new Map<string, MeshWorkload>(), new Map<string, MeshWorkload>()];
  for (const workload of workloads) {
    const key = keyOf(workload);
    if (!byName.has(key)) byName.set(key, workload);
    for (const one of workload.addresses) if (!byAddress.has(one)) byAddress.set(one, workload);
  }
  workloadIndexes.set(workloads, { byName, byAddress });
  return { byName, byAddress };
}

const workloadIndexes = new WeakMap<World['mesh']['workloads'], WorkloadIndex>();

/** A service by its host, or by a shorter name as a client in `namespace` may write it. */
export function findService({ mesh }: World, host: string, namespace: string): MeshService | undefined {
  const { byHost, byShortName } = serviceIndex(mesh.services);
  const key = `${namespace} ${host}`;
  const known = byHost.get(host) ?? byShortName.get(key);
  if (known !== undefined) return known;
  const [name, other = namespace] = host.split('.');
  const found = mesh.services.find(
    (service) =>
      service.kind === 'Service' &&
      service.namespace === other &&
      service.host.startsWith(`${name}.`) &&
      (host === name || `${service.host}.`.startsWith(`${host}.`)),
  );
  if (found !== undefined) byShortName.set(key, found);
  return found;
}

interface ServiceIndex {
  readonly byHost: ReadonlyMap<string, MeshService>;
  /** By the namespace of the client and what it writes; those that were asked for and are there. */
  readonly byShortName: Map<string, MeshService>;
}

function serviceIndex(services: World['mesh']['services']): ServiceIndex {
  const known = serviceIndexes.get(services);
  if (known !== undefined) return known;
  const byHost = new Map<string, MeshService>();
  for (const service of services) if (!byHost.has(service.host)) byHost.set(service.host, service);
  const index = { byHost, byShortName: new Map<string, MeshService>() };
  serviceIndexes.set(services, index);
  return index;
}

const serviceIndexes = new WeakMap<World['mesh']['services'], ServiceIndex>();
