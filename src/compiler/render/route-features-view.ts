import { formatDuration } from '../../lib/duration.ts';
import type { CorsIR, FaultIR } from '../ir/route-features.ts';
import { stringMatcher } from './matcher-view.ts';
import { millionths } from './percent-view.ts';

/** What `http-fault` places: Envoy's `FaultDelay` and `FaultAbort`. */
export interface FaultView {
  readonly delay?: object;
  readonly abort?: object;
}

/** What `cors-policy` places; lists are joined by commas, as they stand in the answer's headers. */
export interface CorsView {
  readonly allowOrigins: readonly object[];
  readonly allowMethods?: string;
  readonly allowHeaders?: string;
  readonly exposeHeaders?: string;
  /** Seconds. */
  readonly maxAge?: string;
  readonly allowCredentials?: true;
  readonly forwardUnmatchedPreflights: boolean;
}

export function faultView({ delay, abort }: FaultIR): FaultView {
  const percentage = abort && millionths(abort.percent);
  return {
    ...(delay === undefined
      ? {}
      : { delay: { fixed_delay: formatDuration(delay.durationMs), percentage: millionths(delay.percent) } }),
    ...(abort === undefined
      ? {}
      : {
          abort:
            'http' in abort.status
              ? { http_status: abort.status.http, percentage }
              : { grpc_status: abort.status.grpc, percentage },
        }),
  };
}

export function corsView(cors: CorsIR): CorsView {
  const { allowMethods, allowHeaders, exposeHeaders, maxAgeSeconds } = cors;
  return {
    allowOrigins: cors.allowOrigins.map(stringMatcher),
    ...(allowMethods.length === 0 ? {} : { allowMethods: allowMethods.join(',') }),
    ...(allowHeaders.length === 0 ? {} : { allowHeaders: allowHeaders.join(',') }),
    ...(exposeHeaders.length === 0 ? {} : { exposeHeaders: exposeHeaders.join(',') }),
    ...(maxAgeSeconds === undefined ? {} : { maxAge: String(maxAgeSeconds) }),
    ...(cors.allowCredentials === true ? { allowCredentials: true } : {}),
    forwardUnmatchedPreflights: cors.forwardsUnmatchedPreflights,
  };
}
