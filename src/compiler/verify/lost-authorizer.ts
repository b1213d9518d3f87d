import type { Fragment } from '../../envoy/api/fragment.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { ExtAuthzIR } from '../ir/ext-authz.ts';
import type { StringMatchIR } from '../ir/string-match.ts';
import { expectList, expectValue, type Lose } from './expect.ts';

/** These switch the question off, or its answer. */
const switches = ['filter_enabled', 'deny_at_disable', 'shadow_mode', 'bootstrap_metadata_labels_key'];

/** Whom the filter asks, about what, and what happens without an answer. */
export function authorizerLosses(config: Fragment, ir: ExtAuthzIR, lose: Lose): void {
  for (const field of switches) if (config.at(field).exists) lose(config.at(field), `no rule asks for ${field}`);
  const level = config.type?.includes('.network.') === true ? 'network' : 'http';
  enabledLosses(config.at('filter_enabled_metadata'), level, ir, lose);
  expectValue(config.at('failure_mode_allow'), ir.failOpen, lose, false);
  if (level === 'network') {
    grpcLosses(config.at('grpc_service'), ir, lose);
    return;
  }
  expectValue(config.at('status_on_error', 'code'), ir.statusOnError, lose, 403);
  expectValue(config.at('clear_route_cache'), ir.clearRouteCache, lose, false);
  const body = config.at('with_request_body');
  expectValue(body.at('max_request_bytes'), ir.requestBody?.maxBytes, lose);
  expectValue(body.at('allow_partial_message'), ir.requestBody?.allowPartial ?? false, lose, false);
  expectValue(body.at('pack_as_bytes'), ir.requestBody?.asBytes ?? false, lose, false);
  if (ir.authorizer.protocol === 'grpc') grpcLosses(config.at('grpc_service'), ir, lose);
  else httpLosses(config, ir.authorizer, lose);
}

/** In the connection manager: a refusal with a status below 200 is answered 403, by the first mapper that fits. */
export function refusalLosses(config: Fragment, lose: Lose): void {
  const mappers = config.at('local_reply_config', 'mappers');
  const [first] = mappers.items;
  const comparison = first?.at('filter', 'status_code_filter', 'comparison');
  const isOurs =
    comparison?.at('op').value === 'LE' &&
    comparison.at('value', 'default_value').value === 199 &&
    first?.at('status_code').value === 403;
  if (!isOurs) lose(mappers, "an authorizer's status below 200 would reach the client");
}

/** Matches of other metadata would ask about other requests, or about none. */
function enabledLosses(matcher: Fragment, level: 'http' | 'network', ir: ExtAuthzIR, lose: Lose): void {
  expectValue(matcher.at('filter'), `envoy.filters.${level}.rbac`, lose);
  const [segment] = matcher.at('path').items;
  const key = segment?.at('key') ?? matcher.at('path');
  expectValue(key, `${ir.shadowStatPrefix}shadow_effective_policy_id`, lose);
  expectValue(matcher.at('value', 'string_match', 'prefix'), ir.policyPrefix, lose);
  expectValue(matcher.at('invert'), false, lose, false);
}

function grpcLosses(service: Fragment, { authorizer }: ExtAuthzIR, lose: Lose): void {
  expectValue(service.at('envoy_grpc', 'cluster_name'), authorizer.cluster, lose);
  expectValue(service.at('timeout'), formatDuration(authorizer.timeoutMs), lose);
}

type HttpAuthorizer = Extract<ExtAuthzIR['authorizer'], { protocol: 'http' }>;

function httpLosses(config: Fragment, authorizer: HttpAuthorizer, lose: Lose): void {
  const service = config.at('http_service');
  expectValue(service.at('server_uri', 'cluster'), authorizer.cluster, lose);
  expectValue(service.at('server_uri', 'timeout'), formatDuration(authorizer.timeoutMs), lose);
  expectValue(service.at('path_prefix'), authorizer.pathPrefix, lose, '');
  namesLosses(config.at('allowed_headers'), authorizer.headersToAuthorizer, lose);
  const added = service.at('authorization_request', 'headers_to_add');
  expectList(
    added,
    added.items.map((item) => `${String(item.at('key').value)}: ${String(item.at('value').value)}`),
    authorizer.headersToAdd.map(({ name, value }) => `${name}: ${value}`),
    lose,
  );
  const response = service.at('authorization_response');
  namesLosses(response.at('allowed_upstream_headers'), authorizer.headersToUpstream, lose);
  namesLosses(response.at('allowed_client_headers'), authorizer.headersToDownstreamOnDeny, lose);
  namesLosses(response.at('allowed_client_headers_on_success'), authorizer.headersToDownstreamOnAllow, lose);
}

/** An authorizer that is told less may decide otherwise. */
function namesLosses(list: Fragment, wanted: readonly StringMatchIR[], lose: Lose): void {
  const patterns = list.at('patterns');
  const found = patterns.items.map((item) => {
    const [kind = ''] = item.fields.filter((field) => field !== 'ignore_case');
    return `${kind} ${String(item.at(kind).value)}`;
  });
  expectList(
    patterns,
    found,
    wanted.map(({ kind, value }) => `${kind} ${value}`),
    lose,
  );
}
