import type { MeshService, MeshWorkload } from '../contracts/mesh-file.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { AccessRequest } from './evaluate/access-request.ts';
import type { Client } from './evaluate/client.ts';
import { findService, findWorkload, keyOf, type WorkloadName, type World } from './world.ts';

/** Where a request goes: a workload, or a host as its client writes it; without a port, the only one that is served. */
export type Target =
  | { readonly kind: 'workload'; readonly namespace: string; readonly name: string; readonly port?: number | undefined }
  | { readonly kind: 'host'; readonly host: string; readonly port?: number | undefined };

type Address = AccessRequest['to'];

/**
 * Where a client's connections to a target go: to a service's address from a workload with a proxy, else to its endpoints,
 * as the node translates. Throws where the input does not say.
 */
export function addressesOf(world: World, from: Client, to: Target): readonly Address[] {
  if (to.kind === 'workload') return [workloadAddress(world, to)];
  const service = findService(world, to.host, from.kind === 'workload' ? from.namespace : '');
  if (service === undefined) {
    throw new UsageError(`the input has no service "${to.host}"; name a host that a Service or ServiceEntry has`);
  }
  const port = portOf(
    `service ${service.host}`,
    to.port,
    service.ports.map(({ number }) => number),
  );
  const hasProxy = from.kind === 'workload' && world.proxies.has(keyOf(from));
  const [address] = service.addresses;
  if (hasProxy && address !== undefined) return [{ address, port }];
  if (isResolved(service)) return [{ address: resolvedAddress, port }];
  return endpointsOf(service, port);
}

const addressless = ': add a workload that the service selects, an EndpointSlice, or a workload with --assume';

/** Stands for what a name server answers for a host outside the mesh: of the block for measurements (RFC 2544). */
export const resolvedAddress = '198.18.0.2';

/** Whether clients have the service's addresses from a name server, so that the input does not say them. */
function isResolved({ addresses, endpoints, isExternal }: MeshService): boolean {
  return addresses.length === 0 && (isExternal || endpoints.some(({ address }) => !isAddress(address)));
}

/** An endpoint has an IP address, a host name, or a path. */
function isAddress(text: string): boolean {
  return /^[\d.]+$/.test(text) || text.includes(':');
}

function workloadAddress(world: World, to: Target & { readonly kind: 'workload' }): Address {
  const workload = findWorkload(world, to);
  const [address] = workload?.addresses ?? [];
  if (workload === undefined) throw noSuchWorkload(world, to);
  if (address === undefined)
    throw new UsageError(
      `workload ${to.namespace}/${to.name} has no pod in the input: give it replicas, or add a pod with an address`,
    );
  return { address, port: portOf(`workload ${to.namespace}/${to.name}`, to.port, targetPorts(workload)) };
}

/** What is thrown for the name of a workload that the mesh lacks. */
export function noSuchWorkload({ mesh }: World, name: WorkloadName): UsageError {
  const known = mesh.workloads.slice(0, 5).map(keyOf).join(', ');
  return new UsageError(`the input has no workload ${keyOf(name)}; it has ${known === '' ? 'none' : known}`);
}

function targetPorts({ ports }: MeshWorkload): readonly number[] {
  return [...new Set(ports.map(({ targetPort }) => targetPort))];
}

function portOf(what: string, port: number | undefined, ports: readonly number[]): number {
  if (port !== undefined) return port;
  const [only] = ports;
  if (ports.length === 1 && only !== undefined) return only;
  const list = ports.length === 0 ? 'no ports' : `ports ${ports.join(', ')}`;
  throw new UsageError(`${what} has ${list}: write one behind the name, as in NAME:80`);
}

function endpointsOf({ host, ports, endpoints }: MeshService, port: number): readonly Address[] {
  const own = endpoints.filter(({ servicePort }) => servicePort === port);
  if (own.length === 0 && !ports.some(({ number }) => number === port)) {
    const known = ports.map(({ number }) => number).join(', ');
    const advice = known === '' ? 'it has no ports' : `it has ${known}: write one of these behind the name`;
    throw new UsageError(`service ${host} has no port ${port}; ${advice}`);
  }
  if (own.length === 0)
    throw new UsageError(`service ${host} has no endpoint for port ${port} in the input${addressless}`);
  return own.map((endpoint) => ({ address: endpoint.address, port: endpoint.port }));
}

/** What a client writes into `Host`: the name as it was given, else the address, with its port. */
export function authorityOf(to: Target | undefined, { address, port }: Address): string {
  const host = to?.kind === 'host' ? to.host : address.includes(':') ? `[${address}]` : address;
  return port === 80 ? host : `${host}:${port}`;
}

/** Throws a UsageError for a client that is no workload of the mesh, or a gateway. */
export function requireClient(world: World, from: Client): void {
  if (from.kind !== 'workload') return;
  const client = findWorkload(world, from);
  if (client?.role === 'router') {
    throw new UsageError(`${keyOf(from)} is a gateway, which sends no requests of its own: name its client instead`);
  }
  if (client === undefined) throw noSuchWorkload(world, from);
}
