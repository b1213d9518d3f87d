import type { HttpConnectionIR, NetworkFilterIR, TcpProxyIR } from '../ir/listener.ts';
import { expectList, expectValue, type Lose } from './expect.ts';
import type { Fragment } from './fragment.ts';
import { accessLosses } from './lost-access.ts';
import { tokenLosses } from './lost-tokens.ts';

const connectionManager = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const tcpProxy = 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';
const setFilterState = 'envoy.extensions.filters.http.set_filter_state.v3.Config';

const sniCluster = 'envoy.extensions.filters.network.sni_cluster.v3.SniCluster';

/** Reserved, so that nobody's host is meant (RFC 6761, section 6.4). */
const hostOfNone = 'no-host.invalid';

/** The terminal filter of a chain; filters before it may be the user's own. */
export function networkFilterLosses(filters: Fragment, ir: NetworkFilterIR, lose: Lose): void {
  const config = filters.last.at('typed_config');
  const wanted = ir.kind === 'http' ? connectionManager : tcpProxy;
  if (config.type !== wanted) lose(filters, `the last filter is ${config.type ?? 'absent'}, not ${wanted}`);
  else if (ir.kind === 'http') httpLosses(config, ir, lose);
  else {
    tcpLosses(config, ir, lose);
    serverNameLosses(filters, ir, lose);
  }
}

function tcpLosses(config: Fragment, ir: TcpProxyIR, lose: Lose): void {
  const weighted = config.at('weighted_clusters');
  if (ir.weightedClusters === undefined) {
    expectValue(config.at('cluster'), ir.cluster, lose);
    if (weighted.exists) lose(weighted, 'no rule asks for weighted_clusters');
  } else {
    const shares = weighted
      .at('clusters')
      .items.map((item) => `${String(item.at('name').value)} ${String(item.at('weight').value)}`);
    const wanted = ir.weightedClusters.map(({ cluster, weight }) => `${cluster} ${weight}`);
    expectList(weighted.at('clusters'), shares, wanted, lose);
    if (config.at('cluster').exists) lose(config.at('cluster'), 'no rule asks for one cluster');
  }
  for (const field of ['on_demand', 'tunneling_config']) {
    if (config.at(field).exists) lose(config.at(field), `no rule asks for ${field}`);
  }
}

/** Who may choose the cluster by a server name reaches every service of the mesh. */
function serverNameLosses(filters: Fragment, ir: TcpProxyIR, lose: Lose): void {
  const found = filters.items.find((filter) => filter.at('typed_config').type === sniCluster);
  if (ir.clusterOfServerName === true && found === undefined) lose(filters, 'no filter takes the cluster from the SNI');
  if (ir.clusterOfServerName !== true && found !== undefined) lose(found, 'no rule asks for clusters by server name');
}

function httpLosses(config: Fragment, ir: HttpConnectionIR, lose: Lose): void {
  const level = ir.pathNormalization;
  const isSetting = ir.xfcc === 'sanitize-set-uri';
  expectValue(config.at('rds', 'route_config_name'), ir.routeConfig, lose);
  expectValue(config.at('use_remote_address'), ir.useRemoteAddress, lose, false);
  expectValue(config.at('forward_client_cert_details'), isSetting ? 'SANITIZE_SET' : 'SANITIZE', lose, 'SANITIZE');
  expectValue(config.at('set_current_client_cert_details', 'uri'), isSetting, lose, false);
  expectValue(config.at('normalize_path'), level !== 'NONE', lose, false);
  expectValue(
    config.at('merge_slashes'),
    level === 'MERGE_SLASHES' || level === 'DECODE_AND_MERGE_SLASHES',
    lose,
    false,
  );
  expectValue(
    config.at('path_with_escaped_slashes_action'),
    level === 'DECODE_AND_MERGE_SLASHES' ? 'UNESCAPE_AND_FORWARD' : 'KEEP_UNCHANGED',
    lose,
    'KEEP_UNCHANGED',
  );
  expectValue(config.at('http_protocol_options', 'accept_http_10'), ir.http10, lose, false);
  // The host of requests without one: another name could be one that a rule lets in.
  const noHost = config.at('http_protocol_options', 'default_host_for_http_10');
  if (ir.http10) expectValue(noHost, hostOfNone, lose);
  // One bad request would close the connection that others share.
  const streamOnly = config.at('http2_protocol_options', 'override_stream_error_on_invalid_http_message');
  expectValue(streamOnly, true, lose, false);
  // With its port a host would be another one to the policies.
  if (ir.edge !== undefined) expectValue(config.at('strip_any_host_port'), true, lose, false);
  alpnLosses(config, ir, lose);
  routeFilterLosses(config, ir, lose);
  tokenLosses(config, ir, lose);
  accessLosses(config.at('http_filters'), ir.policyFilters, lose);
}

/** Without its filter a route's feature is written in vain. */
function routeFilterLosses(config: Fragment, { routeFilters = [] }: HttpConnectionIR, lose: Lose): void {
  const filters = config.at('http_filters');
  const names = filters.items.map((filter) => filter.at('name').value);
  for (const filter of routeFilters) {
    if (!names.includes(`envoy.filters.http.${filter.replace('-', '_')}`))
      lose(filters, `the ${filter} filter is missing`);
  }
}

function alpnLosses(config: Fragment, ir: HttpConnectionIR, lose: Lose): void {
  const filters = config.at('http_filters');
  const states = filters.items
    .filter((filter) => filter.at('typed_config').type === setFilterState)
    .flatMap((filter) => filter.at('typed_config', 'on_request_headers').items)
    .filter((state) => state.at('object_key').value === 'envoy.network.application_protocols');
  const wanted = ir.alpnOverride?.alpn.join(',').replaceAll('%', '%%');
  const found = states.map((state) => state.at('format_string', 'text_format_source', 'inline_string').value);
  if (wanted !== undefined && !found.includes(wanted))
    lose(filters, `no filter sets the protocols offered upstream to ${wanted}`);
  if (wanted === undefined && states[0] !== undefined) lose(states[0], 'no rule asks for other protocols upstream');
}
