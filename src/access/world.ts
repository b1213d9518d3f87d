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
  let index = byName.get(mesh.workloads);
  if (index === undefined) {
    index = new Map();
    for (const workload of mesh.workloads) {
      const own = index.get(workload.namespace) ?? new Map<string, MeshWorkload>();
      index.set(workload.namespace, own);
      if (!own.has(workload.name)) own.set(workload.name, workload);
    }
    byName.set(mesh.workloads, index);
  }
  return index.get(namespace)?.get(name);
}

/** The proxy of a workload; undefined where it has none. */
export function proxyOf({ proxies }: World, workload: MeshWorkload): LiftedProxy | undefined {
  let key = keys.get(workload);
  if (key === undefined) {
    key = keyOf(workload);
    keys.set(workload, key);
  }
  return proxies.get(key);
}

/** Texts that need not be put together for each request. */
const keys = new WeakMap<MeshWorkload, string>();

/** The workload that has an IP address; the first one where several do. */
export function workloadAt({ mesh }: World, address: string): MeshWorkload | undefined {
  let index = byAddress.get(mesh.workloads);
  if (index === undefined) {
    index = new Map();
    for (const workload of mesh.workloads) {
      for (const own of workload.addresses) if (!index.has(own)) index.set(own, workload);
    }
    byAddress.set(mesh.workloads, index);
  }
  return index.get(address);
}

type Workloads = World['mesh']['workloads'];

// The first workload of each name and address; made when it is first asked for, since replay has hundreds of meshes.
const byName = new WeakMap<Workloads, Map<string, Map<string, MeshWorkload>>>();
const byAddress = new WeakMap<Workloads, Map<string, MeshWorkload>>();

/**
 * A service by its host or one of its aliases, or by a shorter name as a client in `namespace` may write it; else the one with
 * the longest wildcard that the host matches.
 */
export function findService({ mesh }: World, host: string, namespace: string): MeshService | undefined {
  const { byHost, byShortName, wild } = serviceIndex(mesh.services);
  const key = `${namespace} ${host}`;
  const known = byHost.get(host) ?? byShortName.get(key);
  if (known !== undefined) return known;
  const [name, other = namespace] = host.split('.');
  const found = [...byHost].find(
    ([full, service]) =>
      (service.kind === 'Service' || service.host !== full) &&
      full.startsWith(`${name}.${other}.`) &&
      (host === name || `${full}.`.startsWith(`${host}.`)),
  );
  const service = found?.[1] ?? wild.find((one) => host.endsWith(one.host.slice(1)));
  if (service !== undefined) byShortName.set(key, service);
  return service;
}

interface ServiceIndex {
  /** Aliases after all hosts: these have their own Services. */
  readonly byHost: ReadonlyMap<string, MeshService>;
  /** By the namespace of the client and what it writes; those that were asked for and are there. */
  readonly byShortName: Map<string, MeshService>;
  /** Those with a wildcard, the longest first. */
  readonly wild: readonly MeshService[];
}

function serviceIndex(services: World['mesh']['services']): ServiceIndex {
  const known = serviceIndexes.get(services);
  if (known !== undefined) return known;
  const byHost = new Map<string, MeshService>();
  const add = (host: string, service: MeshService): void => {
    if (!byHost.has(host)) byHost.set(host, service);
  };
  for (const service of services) add(service.host, service);
  for (const service of services) for (const alias of service.aliases ?? []) add(alias, service);
  const wild = services.filter(({ host }) => host.startsWith('*.')).sort((a, b) => b.host.length - a.host.length);
  const index = { byHost, byShortName: new Map<string, MeshService>(), wild };
  serviceIndexes.set(services, index);
  return index;
}

const serviceIndexes = new WeakMap<World['mesh']['services'], ServiceIndex>();
