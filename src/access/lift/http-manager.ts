import type { Fragment } from '../../envoy/api/fragment.ts';
import type { PathOptions } from '../model/normalize-path.ts';
import { type Authorizer, liftAuthorizer } from './authorizer.ts';
import { liftTokenFilter, type TokenFilter } from './jwt.ts';
import type { Message } from './message.ts';
import { type AccessFilter, liftAccessFilter } from './rbac.ts';
import { type Fault, faultType, liftFault } from './route-filters.ts';

/** A filter on a request's way. */
export type HttpFilter =
  | {
      readonly kind: 'rbac';
      readonly access: AccessFilter;
      readonly at: Fragment;
      readonly gap: string | undefined;
    }
  | ({ readonly kind: 'jwt' } & TokenFilter)
  /** What the proxy offers upstream in place of its cluster's own protocols. */
  | {
      readonly kind: 'alpn';
      readonly alpn: readonly string[];
      readonly at: Fragment;
      readonly gap: string | undefined;
    }
  | {
      readonly kind: 'authorizer';
      readonly authorizer: Authorizer;
      readonly at: Fragment;
      readonly gap: string | undefined;
    }
  /** Answers a share of the requests; a route's own fault replaces this one. */
  | {
      readonly kind: 'fault';
      readonly fault: Fault | undefined;
      readonly at: Fragment;
      readonly gap: string | undefined;
    }
  /** `grpc-web` makes a request of gRPC-Web one of gRPC. */
  | { readonly kind: 'cors' | 'grpc-web'; readonly at: Fragment; readonly gap: string | undefined }
  | {
      readonly kind: 'router';
      /** Whether requests go on with headers that tell of this proxy. */
      readonly tells: boolean;
      readonly at: Fragment;
      readonly gap: string | undefined;
    }
  /** Nothing is known of what it does. */
  | { readonly kind: 'unknown'; readonly at: Fragment; readonly gap: string };

/** Envoy's HTTP connection manager, as far as it decides about requests. */
export interface HttpManager {
  readonly paths: PathOptions;
  readonly stripsAnyPort: boolean;
  readonly stripsTrailingDot: boolean;
  readonly usesRemoteAddress: boolean;
  /** Proxies in front whose addresses in `x-forwarded-for` are believed. */
  readonly trustedHops: number;
  /** What becomes of a header with an underscore in its name. */
  readonly underscores: 'keep' | 'refuse' | 'drop';
  /** Most header lines of a request, pseudo headers included. */
  readonly maxHeaders: number;
  /** Most bytes of its head. */
  readonly maxHeadBytes: number;
  /** Protocols, in lower case, that a client may change to. */
  readonly upgrades: readonly string[];
  /** What becomes of `x-forwarded-client-cert`, by which the next proxy is told whose certificate the client has. */
  readonly certificates: 'remove' | 'set' | 'append' | 'forward' | 'keep';
  /** Whether it takes `x-envoy-decorator-operation` for the name of its own span, which it does once a route is found. */
  readonly takesOperation: boolean;
  /** The route table's name. */
  readonly routes: string;
  readonly filters: readonly HttpFilter[];
  /** Details of Envoy's own answers that get 401 in place of their status. */
  readonly unauthorized: readonly string[];
  readonly gap: string | undefined;
}

const manager = 'envoy.extensions.filters.network.http_connection_manager.v3';
const filters = 'envoy.extensions.filters.http';

/** Envoy's `HttpConnectionManager` with its HTTP filters; `isOutbound` is the direction of its listener. */
export function liftHttpManager(message: Message, isOutbound = false): HttpManager {
  const common = message.message('common_http_protocol_options', 'envoy.config.core.v3.HttpProtocolOptions');
  return {
    paths: {
      normalizes: message.flag('normalize_path'),
      mergesSlashes: message.flag('merge_slashes'),
      escapedSlashes: liftEscapedSlashes(message),
    },
    stripsAnyPort: message.flag('strip_any_host_port'),
    stripsTrailingDot: message.flag('strip_trailing_host_dot'),
    usesRemoteAddress: message.flag('use_remote_address'),
    trustedHops: message.number('xff_num_trusted_hops') ?? 0,
    underscores: underscores[common.text('headers_with_underscores_action')] ?? 'keep',
    maxHeaders: common.number('max_headers_count') ?? 100,
    maxHeadBytes: (message.number('max_request_headers_kb') ?? 60) * 1024,
    upgrades: message
      .messages('upgrade_configs', `${manager}.HttpConnectionManager.UpgradeConfig`)
      .map((config) => config.text('upgrade_type').toLowerCase()),
    certificates: liftCertificates(message),
    takesOperation: !isOutbound && message.has('tracing') && message.struct('tracing').operation === undefined,
    routes: message.message('rds', `${manager}.Rds`).text('route_config_name'),
    filters: message.parts('http_filters', `${manager}.HttpFilter`).map(liftFilter),
    unauthorized: liftUnauthorized(message),
    gap: message.gaps.first,
  };
}

const underscores: Readonly<Record<string, HttpManager['underscores']>> = {
  REJECT_REQUEST: 'refuse',
  DROP_HEADER: 'drop',
};

const certificates: Readonly<Record<string, HttpManager['certificates']>> = {
  '': 'remove',
  SANITIZE: 'remove',
  SANITIZE_SET: 'set',
  APPEND_FORWARD: 'append',
  FORWARD_ONLY: 'forward',
  ALWAYS_FORWARD_ONLY: 'keep',
};

function liftCertificates(message: Message): HttpManager['certificates'] {
  const known = certificates[message.text('forward_client_cert_details')];
  if (known === undefined) message.refuse('forward_client_cert_details');
  return known ?? 'remove';
}

function liftEscapedSlashes(message: Message): PathOptions['escapedSlashes'] {
  switch (message.text('path_with_escaped_slashes_action')) {
    case 'UNESCAPE_AND_FORWARD':
      return 'unescape';
    case 'UNESCAPE_AND_REDIRECT':
      return 'redirect';
    case 'REJECT_REQUEST':
      return 'reject';
    default:
      return 'keep';
  }
}

/** Only the one form of expression that the compiler writes is understood. */
function liftUnauthorized(message: Message): readonly string[] {
  const replies = message.message('local_reply_config', `${manager}.LocalReplyConfig`);
  return replies.messages('mappers', `${manager}.ResponseMapper`).flatMap((mapper) => {
    const condition = mapper.message('filter', 'envoy.config.accesslog.v3.AccessLogFilter');
    if (isInformational(condition)) return [];
    const filter = condition
      .message('extension_filter', 'envoy.config.accesslog.v3.ExtensionFilter')
      .any('typed_config');
    const [, details] = /^response\.code_details == '([^']*)'$/.exec(filter?.text('expression') ?? '') ?? [];
    if (details !== undefined && mapper.number('status_code') === 401) return [details];
    mapper.refuse('filter');
    return [];
  });
}

/** A status below 200 of an authorizer, which is answered as 403. */
function isInformational(condition: Message): boolean {
  if (!condition.has('status_code_filter')) return false;
  const comparison = condition
    .message('status_code_filter', 'envoy.config.accesslog.v3.StatusCodeFilter')
    .message('comparison', 'envoy.config.accesslog.v3.ComparisonFilter');
  const value = comparison.message('value', 'envoy.config.core.v3.RuntimeUInt32').number('default_value');
  return comparison.text('op') === 'LE' && value !== undefined && value < 200;
}

function liftFilter(filter: Message): HttpFilter {
  const at = filter.fragment;
  const config = filter.any('typed_config');
  switch (config?.type) {
    case `${filters}.rbac.v3.RBAC`:
      return { kind: 'rbac', access: liftAccessFilter(config), at, gap: filter.gaps.first };
    case `${filters}.jwt_authn.v3.JwtAuthentication`:
      return { kind: 'jwt', ...liftTokenFilter(config) };
    case `${filters}.router.v3.Router`:
      return { kind: 'router', tells: !config.flag('suppress_envoy_headers'), at, gap: filter.gaps.first };
    case `${filters}.ext_authz.v3.ExtAuthz`:
      return { kind: 'authorizer', authorizer: liftAuthorizer(config), at, gap: filter.gaps.first };
    case faultType:
      return { kind: 'fault', fault: liftFault(config), at, gap: filter.gaps.first };
    case `${filters}.cors.v3.Cors`:
      return { kind: 'cors', at, gap: filter.gaps.first };
    case `${filters}.set_filter_state.v3.Config`:
      return { kind: 'alpn', alpn: liftAlpn(config), at, gap: filter.gaps.first };
    case `${filters}.grpc_web.v3.GrpcWeb`:
      return { kind: 'grpc-web', at, gap: filter.gaps.first };
    default:
      filter.refuse('typed_config');
      return { kind: 'unknown', at, gap: filter.gaps.first ?? '' };
  }
}

/** Only the one key that the compiler writes is understood. */
function liftAlpn(config: Message): readonly string[] {
  const [value, ...others] = config.messages(
    'on_request_headers',
    'envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue',
  );
  const text = value
    ?.message('format_string', 'envoy.config.core.v3.SubstitutionFormatString')
    .message('text_format_source', 'envoy.config.core.v3.DataSource')
    .text('inline_string');
  const isKnown = others.length === 0 && value?.text('object_key') === 'envoy.network.application_protocols';
  if (!isKnown || text === undefined || /%(?!%)/.test(text.replaceAll('%%', ''))) config.refuse('on_request_headers');
  return (text ?? '').replaceAll('%%', '%').split(',');
}
