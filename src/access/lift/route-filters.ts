import type { StringMatch } from '../model/string-match.ts';
import { liftStringMatch } from './matchers.ts';
import type { Message } from './message.ts';

/** Whose pages may call a route (CORS). */
export interface CorsPolicy {
  readonly origins: readonly StringMatch[];
  /** Whether a preflight of another origin goes on to the application. */
  readonly forwardsOthers: boolean;
}

/** An answer that is given to a share of the requests in place of the application's. */
export interface Fault {
  readonly status: number;
  readonly grpcStatus: number | undefined;
  readonly share: 'none' | 'some' | 'all';
}

/** What HTTP filters are told by a route. */
export interface RouteFilters {
  readonly cors: CorsPolicy | undefined;
  readonly fault: Fault | undefined;
}

const cors = 'envoy.extensions.filters.http.cors.v3.CorsPolicy';
export const faultType = 'envoy.extensions.filters.http.fault.v3.HTTPFault';

/** Of a message with the field `typed_per_filter_config`. */
export function liftRouteFilters(message: Message): RouteFilters {
  let policy: CorsPolicy | undefined;
  let fault: Fault | undefined;
  for (const [, config] of message.anyEntries('typed_per_filter_config')) {
    if (config?.type === cors) policy = liftCors(config);
    else if (config?.type === faultType) fault = liftFault(config);
    else message.refuse('typed_per_filter_config');
  }
  return { cors: policy, fault };
}

function liftCors(policy: Message): CorsPolicy | undefined {
  const share = shareOf(policy, 'filter_enabled', 'default_value', 'envoy.config.core.v3.RuntimeFractionalPercent');
  if (policy.has('filter_enabled') && share === 'some') policy.refuse('filter_enabled');
  if (policy.has('filter_enabled') && share === 'none') return undefined;
  return {
    origins: policy.messages('allow_origin_string_match', 'envoy.type.matcher.v3.StringMatcher').map(liftStringMatch),
    // Absent means yes (the API's default).
    forwardsOthers: !policy.has('forward_not_matching_preflights') || policy.flag('forward_not_matching_preflights'),
  };
}

/** Envoy's `HTTPFault`; undefined if it answers nothing. A delay changes no answer. */
export function liftFault(message: Message): Fault | undefined {
  if (!message.has('abort')) return undefined;
  const abort = message.message('abort', 'envoy.extensions.filters.http.fault.v3.FaultAbort');
  const grpcStatus = abort.number('grpc_status');
  return {
    status: grpcStatus === undefined ? (abort.number('http_status') ?? 0) : 200,
    grpcStatus,
    share: percentOf(abort.message('percentage', 'envoy.type.v3.FractionalPercent')),
  };
}

function shareOf(message: Message, field: string, inner: string, type: string): Fault['share'] {
  return percentOf(message.message(field, type).message(inner, 'envoy.type.v3.FractionalPercent'));
}

const denominators: Readonly<Record<string, number>> = { HUNDRED: 100, TEN_THOUSAND: 10_000, MILLION: 1_000_000 };

function percentOf(percent: Message): Fault['share'] {
  const whole = denominators[percent.text('denominator') || 'HUNDRED'] ?? 100;
  const part = percent.number('numerator') ?? 0;
  if (part === 0) return 'none';
  return part >= whole ? 'all' : 'some';
}
