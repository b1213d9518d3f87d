import type { Mode, Transport } from '../../testing/policy-oracle.ts';
import type { EnvoyConfig, Resource } from '../render/resource.ts';

/** What is looked at of a filter chain. */
interface Chain {
  readonly filter_chain_match?: {
    readonly destination_port?: number;
    readonly transport_protocol?: string;
    readonly prefix_ranges?: readonly object[];
  };
  readonly transport_socket?: object;
}

/** The filter chains for inbound connections. */
export function chainsOf({ listeners }: EnvoyConfig): readonly Chain[] {
  const inbound = listeners.find(({ name }) => name === 'virtualInbound');
  return (inbound?.json.filter_chains ?? []) as readonly Chain[];
}

/** The mode that the chains of one port come to, at addresses of a pod; of all other ports for `undefined`. */
export function modeOf(chains: readonly Chain[], port: number | undefined): Mode | undefined {
  const own = chains.filter(
    ({ filter_chain_match: match }) => match?.destination_port === port && match?.prefix_ranges === undefined,
  );
  const takesTls = own.some(
    ({ filter_chain_match: match, transport_socket }) => match?.transport_protocol === 'tls' && transport_socket,
  );
  const takesPlaintext = own.some(
    ({ filter_chain_match: match, transport_socket }) => match?.transport_protocol !== 'tls' && !transport_socket,
  );
  const passesBytes = own.some(({ transport_socket }) => transport_socket === undefined);
  if (takesTls && !passesBytes) return 'STRICT';
  if (takesTls && takesPlaintext) return 'PERMISSIVE';
  return takesPlaintext ? 'DISABLE' : undefined;
}

/** How a cluster is spoken to. Mesh TLS shows the workload's own certificate, which comes over SDS. */
export function transportOf(cluster: Resource['json'] | undefined): Transport | undefined {
  if (cluster === undefined) return undefined;
  if (cluster.transport_socket_matches !== undefined) return 'automatic';
  const socket = cluster.transport_socket as { readonly name: string } | undefined;
  if (socket === undefined || socket.name === 'envoy.transport_sockets.raw_buffer') return 'plaintext';
  return JSON.stringify(socket).includes('tls_certificate_sds_secret_configs') ? 'mesh' : 'external';
}
