import type { Fragment } from '../../envoy/api/fragment.ts';
import type { HttpConnectionIR, NetworkFilterIR, TcpProxyIR } from '../ir/listener.ts';
import { expectValue, type Lose } from './expect.ts';
import { accessLosses } from './lost-access.ts';
import { refusalLosses } from './lost-authorizer.ts';
import { redisLosses, thriftLosses } from './lost-protocol-proxy.ts';
import { shareLosses } from './lost-shares.ts';
import { tokenLosses } from './lost-tokens.ts';

const filterTypes: Readonly<Record<NetworkFilterIR['kind'], string>> = {
  http: 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  tcp: 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
  redis: 'envoy.extensions.filters.network.redis_proxy.v3.RedisProxy',
  thrift: 'envoy.extensions.filters.network.thrift_proxy.v3.ThriftProxy',
};
const setFilterState = 'envoy.extensions.filters.http.set_filter_state.v3.Config';

const sniCluster = 'envoy.extensions.filters.network.sni_cluster.v3.SniCluster';

/** Reserved, so that nobody's host is meant (RFC 6761, section 6.4). */
const hostOfNone = 'no-host.invalid';

/** The terminal filter of a chain; filters before it may be the user's own. */
export function networkFilterLosses(filters: Fragment, ir: NetworkFilterIR, lose: Lose): void {
  const config = filters.last.at('typed_config');
  const wanted = filterTypes[ir.kind];
  if (config.type !== wanted) {
    lose(filters, `the last filter is ${config.type ?? 'absent'}, not ${wanted}`);
    return;
  }
  serverNameLosses(filters, ir, lose);
  switch (ir.kind) {
    case 'http':
      httpLosses(config, ir, lose);
      break;
    case 'tcp':
      tcpLosses(config, ir, lose);
      break;
    case 'redis':
      redisLosses(config, ir, lose);
      break;
    case 'thrift':
      thriftLosses(config, ir, lose);
  }
}

function tcpLosses(config: Fragment, ir: TcpProxyIR, lose: Lose): void {
  shareLosses(config, ir, lose);
  for (const field of ['on_demand', 'tunneling_config']) {
    if (config.at(field).exists) lose(config.at(field), `no rule asks for ${field}`);
  }
}

/** Who may choose the cluster by a server name reaches every service of the mesh. */
function serverNameLosses(filters: Fragment, ir: NetworkFilterIR, lose: Lose): void {
  const found = filters.items.find((filter) => filter.at('typed_config').type === sniCluster);
  const isWanted = ir.kind === 'tcp' && ir.clusterOfServerName === true;
  if (isWanted && found === undefined) lose(filters, 'no filter takes the cluster from the SNI');
  if (!isWanted && found !== undefined) lose(found, 'no rule asks for clusters by server name');
}

function httpLosses(config: Fragment, ir: HttpConnectionIR, lose: Lose): void {
  const level = ir.pathNormalization;
  const [, mode = '', ofUri] = /^(.*?)(-uri)?$/.exec(ir.xfcc) ?? [];
  expectValue(config.at('rds', 'route_config_name'), ir.routeConfig, lose);
  expectValue(config.at('use_remote_address'), ir.useRemoteAddress, lose, false);
  // Whoever may write addresses or certificates of others into a header passes for them.
  expectValue(config.at('xff_num_trusted_hops'), ir.trustedHops ?? 0, lose, 0);
  const details = mode.toUpperCase().replaceAll('-', '_');
  expectValue(config.at('forward_client_cert_details'), details, lose, 'SANITIZE');
  expectValue(config.at('set_current_client_cert_details', 'uri'), ofUri !== undefined, lose, false);
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
  if (ir.policyFilters.some(({ kind }) => kind === 'ext-authz')) refusalLosses(config, lose);
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
