import type { MeshService, MeshWorkload } from '../../contracts/mesh-file.ts';
import type { World } from '../world.ts';

/** A workload's own address for connections to another one: of the same family, as the kernel chooses. */
export function addressTowards({ addresses }: MeshWorkload, other: string): string | undefined {
  const isSix = other.includes(':');
  for (const address of addresses) if (address.includes(':') === isSix) return address;
  return addresses[0];
}

/** The Service of Kubernetes whose address it is, which nodes translate to one of its endpoints. */
export function serviceAt({ mesh }: World, address: string): MeshService | undefined {
  return mesh.services.find(({ kind, addresses }) => kind === 'Service' && addresses.includes(address));
}

/** Endpoints to which a node may translate an address and port of a service: within one family of addresses, where it can. */
export function endpointsBehind(
  { endpoints }: MeshService,
  { address, port }: { readonly address: string; readonly port: number },
): MeshService['endpoints'] {
  const all = endpoints.filter(({ servicePort }) => servicePort === port);
  const fitting = all.filter((endpoint) => endpoint.address.includes(':') === address.includes(':'));
  return fitting.length > 0 ? fitting : all;
}

/** Whether redirection leads connections to this port through the workload's sidecar. */
export function isCaptured({ mesh }: World, server: MeshWorkload, port: number): boolean {
  if (server.role !== 'sidecar') return false;
  const { excludedInboundPorts } = mesh.capture;
  if (excludedInboundPorts.includes(port) || server.excludedInboundPorts?.includes(port)) return false;
  return server.includedInboundPorts?.includes(port) ?? true;
}
