import type { VirtualService } from '../../../policy/virtual-service.ts';
import { intersect, resolveShortName } from '../../topology/host.ts';
import type { GatewayServer } from './server.ts';

/**
 * Hosts that a server and a VirtualService both name, the narrower form of each; the server says from which namespaces
 * it takes routes.
 */
export function commonHosts(
  { hosts }: GatewayServer,
  { namespace, spec }: Pick<VirtualService, 'namespace' | 'spec'>,
  clusterDomain: string,
): readonly string[] {
  const offered = hosts.filter((host) => host.namespace === '*' || host.namespace === namespace);
  const wanted = (spec.hosts ?? []).map((host) => resolveShortName(host, namespace, clusterDomain));
  return intersect(
    wanted,
    offered.map(({ host }) => host),
  );
}
