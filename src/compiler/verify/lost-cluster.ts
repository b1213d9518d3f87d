import type { Fragment } from '../../envoy/api/fragment.ts';
import type { ClusterIR, EndpointsIR } from '../ir/cluster.ts';
import { expectList, expectValue, type Lose } from './expect.ts';
import { isPlaintext, upstreamExternalLosses, upstreamMeshLosses } from './lost-tls.ts';

/** Where a cluster's connections go, and how they are protected; `endpoints` are those that it is to hold. */
export function clusterLosses(
  json: Fragment,
  cluster: ClusterIR,
  endpoints: EndpointsIR | 'apart' | undefined,
  lose: Lose,
): void {
  if (endpoints === 'apart') sourceLosses(json, lose);
  else typeLosses(json, cluster, lose);
  endpointLosses(json.at('load_assignment'), endpoints === 'apart' ? undefined : endpoints, lose);
  bindLosses(json.at('upstream_bind_config'), cluster, lose);
  transportLosses(json, cluster, lose);
}

const dnsCluster = 'envoy.extensions.clusters.dns.v3.DnsCluster';

function sourceLosses(json: Fragment, lose: Lose): void {
  expectValue(json.at('type'), 'EDS', lose);
  const { fields } = json.at('eds_cluster_config');
  expectList(json.at('eds_cluster_config'), fields, ['eds_config'], lose);
  const source = json.at('eds_cluster_config', 'eds_config', 'ads');
  if (!source.exists) lose(source, 'its endpoints do not come from the control plane');
}

function typeLosses(json: Fragment, { type }: ClusterIR, lose: Lose): void {
  const extension = json.at('cluster_type');
  if (type === 'static' || type === 'eds')
    expectValue(json.at('type'), 'STATIC', lose, extension.exists ? extension.value : 'STATIC');
  else if (type === 'original-dst') expectValue(json.at('type'), 'ORIGINAL_DST', lose);
  else {
    const config = extension.at('typed_config');
    if (config.type !== dnsCluster) lose(extension, `cluster_type is not ${dnsCluster}`);
    expectValue(config.at('all_addresses_in_single_endpoint'), type === 'logical-dns', lose, false);
  }
}

/** `assignment` is Envoy's list of the endpoints, in a cluster or apart. */
export function endpointLosses(assignment: Fragment, endpoints: EndpointsIR | undefined, lose: Lose): void {
  const groups = assignment.at('endpoints');
  const found = groups.items.flatMap((group) => group.at('lb_endpoints').items.map(describe));
  const wanted = (endpoints?.localities ?? []).flatMap((locality) =>
    locality.endpoints.map(({ address, port, hasSidecar }) => endpointText(address, port, hasSidecar)),
  );
  expectList(groups, found, wanted, lose);
}

function describe(endpoint: Fragment): string {
  const address = endpoint.at('endpoint', 'address');
  const metadata = endpoint.at('metadata', 'filter_metadata', 'envoy.transport_socket_match', 'tlsMode');
  const pipe = address.at('pipe', 'path').value;
  const socket = address.at('socket_address');
  return endpointText(
    String(pipe ?? socket.at('address').value),
    pipe === undefined ? Number(socket.at('port_value').value) : 0,
    metadata.value === 'mesh',
  );
}

function endpointText(address: string, port: number, hasSidecar: boolean): string {
  return `${address} ${port}${hasSidecar ? ' with a sidecar' : ''}`;
}

function bindLosses(bind: Fragment, { bindAddresses }: ClusterIR, lose: Lose): void {
  const first = bind.at('source_address', 'address');
  const others = bind.at('extra_source_addresses').items.map((item) => item.at('address', 'address'));
  const found = [first, ...others].filter((address) => address.exists).map((address) => String(address.value));
  expectList(bind, found, bindAddresses, lose);
}

function transportLosses(json: Fragment, { transport }: ClusterIR, lose: Lose): void {
  const socket = json.at('transport_socket');
  const matches = json.at('transport_socket_matches');
  if (transport.kind !== 'automatic' && matches.items.length > 0) {
    lose(matches, 'no rule asks for a choice of transport sockets');
  }
  const matcher = json.at('transport_socket_matcher');
  if (matcher.exists) lose(matcher, 'transport_socket_matcher takes the place of the choice by endpoint');
  switch (transport.kind) {
    case 'plaintext':
      if (!isPlaintext(socket)) lose(socket, 'no rule asks for a TLS context');
      break;
    case 'tls':
      if (transport.tls.kind === 'mesh') upstreamMeshLosses(socket, transport.tls, lose);
      else {
        upstreamExternalLosses(socket, transport.tls, lose);
        serverNameLosses(json, transport.tls.autoSni, transport.tls.autoSanValidation, lose);
      }
      break;
    case 'automatic': {
      const [first, ...others] = matches.items;
      const isMesh = JSON.stringify(first?.at('match').value) === '{"tlsMode":"mesh"}';
      if (first === undefined || !isMesh) lose(matches, 'the first match is not that of endpoints with a sidecar');
      else upstreamMeshLosses(first.at('transport_socket'), transport.tls, lose);
      const rest = others.every(
        (match) => isPlaintext(match.at('transport_socket')) && match.at('match').fields.length === 0,
      );
      if (!rest || others.length !== 1) lose(matches, 'plaintext is not the only other choice');
      break;
    }
  }
}

function serverNameLosses(json: Fragment, autoSni: boolean, autoSan: boolean, lose: Lose): void {
  const options = json
    .at('typed_extension_protocol_options', 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions')
    .at('upstream_http_protocol_options');
  expectValue(options.at('auto_sni'), autoSni, lose, false);
  expectValue(options.at('auto_san_validation'), autoSan, lose, false);
}
