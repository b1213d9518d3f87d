import type { Compiler } from '../compiler/compile.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import { saysNoPods } from '../policy/pod-count.ts';
import type { Pod, Service, WorkloadController, WorkloadEntry, WorkloadGroup } from '../policy/topology-kinds.ts';

type Objects = readonly MeshObject<string>[];

/** Objects in which every workload and service has an address, and the addresses that had to be assumed for it. */
export interface PlacedObjects {
  readonly objects: Objects;
  /** By `namespace/name` of the workload. */
  readonly workloads: ReadonlyMap<string, string>;
  /** By `namespace/name` of the Service. */
  readonly services: ReadonlyMap<string, string>;
}

/**
 * Gives addresses to what a repository of manifests has none of, and a cluster would give some: Services without
 * `clusterIP`, Pods without `podIP`, and what stands for pods or machines that are not there yet (Deployment, WorkloadGroup).
 * Each of these counts as one pod or machine, unless its own text says that it has none. Diagnostics are those of the objects as they were, and are not repeated here.
 */
export function placeObjects(objects: Objects, analyse: Compiler['analyse']): PlacedObjects {
  const services = new Map<string, string>();
  const withServices = objects.map((object) => (isUnplacedService(object) ? placeService(object, services) : object));
  const workloads = new Map<string, string>();
  if (!objects.some(mayBeUnplaced)) return { objects: withServices, workloads, services };
  const { topology } = analyse(withServices, new DiagnosticBag()) ?? { topology: { workloads: [] } };
  const unplaced = topology.workloads.filter(
    ({ addresses, object }) => addresses.length === 0 && mayBeUnplaced(object),
  );
  const addresses = new Map(unplaced.map(({ object }, i) => [object, addressOf(machines, i)]));
  const placed = withServices.map((object) => {
    const address = addresses.get(object);
    if (address === undefined) return object;
    workloads.set(keyOf(object), address);
    return placeWorkload(object as Pod | WorkloadController | WorkloadEntry | WorkloadGroup, address);
  });
  return { objects: placed, workloads, services };
}

/** Parts of the block for benchmarks (RFC 2544), which nobody uses. */
const virtualAddresses = [198, 18, 1] as const;
const machines = [198, 19, 0] as const;

function addressOf([first, second, third]: readonly [number, number, number], i: number): string {
  return `${first}.${second}.${third + Math.trunc((i + 1) / 256)}.${(i + 1) % 256}`;
}

function keyOf({ namespace, name }: MeshObject<string>): string {
  return `${namespace}/${name}`;
}

function isUnplacedService(object: MeshObject<string>): object is Service {
  if (object.kind !== 'Service') return false;
  const { type, clusterIP = '', clusterIPs = [] } = (object as Service).spec;
  return type !== 'ExternalName' && clusterIP === '' && clusterIPs.length === 0;
}

function placeService(service: Service, services: Map<string, string>): Service {
  const clusterIP = addressOf(virtualAddresses, services.size);
  services.set(keyOf(service), clusterIP);
  const { clusterIPs, ...spec } = service.spec;
  return { ...service, spec: { ...spec, clusterIP } };
}

const kindsWithoutAddress: ReadonlySet<string> = new Set([
  ...['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'WorkloadGroup'],
]);

function mayBeUnplaced(object: MeshObject<string>): boolean {
  // A name is an address too: what it resolves to is not the workload's own affair.
  if (object.kind === 'WorkloadEntry') return (object as WorkloadEntry).spec.address === undefined;
  if (object.kind !== 'Pod') return kindsWithoutAddress.has(object.kind) && saysNoPods(object) === undefined;
  const { podIP, podIPs = [] } = (object as Pod).status ?? {};
  return !podIP && podIPs.length === 0;
}

function podAddress(address: string): NonNullable<Pod['status']> {
  return { podIP: address, podIPs: [{ ip: address }] };
}

/** The pod or machine that the object stands for, under the object's own name. */
function placeWorkload(
  object: Pod | WorkloadController | WorkloadEntry | WorkloadGroup,
  address: string,
): Pod | WorkloadEntry {
  switch (object.kind) {
    case 'Pod':
      return { ...object, status: { ...object.status, ...podAddress(address) } };
    case 'WorkloadEntry':
      return { ...object, spec: { ...object.spec, address } };
    case 'WorkloadGroup': {
      const { metadata = {}, template } = object.spec;
      const labels = { 'security.mesh.io/tlsMode': 'mesh', ...metadata.labels };
      const annotations = metadata.annotations ?? {};
      return { ...object, kind: 'WorkloadEntry', labels, annotations, spec: { ...template, address } };
    }
    default: {
      const { metadata = {}, spec } = object.spec.template;
      const own = { labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} };
      return { ...object, kind: 'Pod', ...own, spec, status: podAddress(address) };
    }
  }
}
