import { grpcStatusNames } from '../../../policy/grpc-status.ts';
import type { CorsPolicy, HttpFault, Percentage, StringMatch } from '../../../policy/virtual-service.ts';
import type { CorsIR, FaultIR } from '../../ir/route-features.ts';
import type { StringMatchIR } from '../../ir/string-match.ts';
import { durationMs } from '../clusters/connection-pool.ts';

/** Faults to inject. A share that nobody names is none, as in Istio. */
export function faultOf({ delay, abort }: HttpFault): FaultIR {
  return {
    delay: delay && { durationMs: durationMs(delay.fixedDelay) ?? 0, percent: share(delay) },
    abort: abort && {
      status:
        abort.grpcStatus === undefined
          ? { http: abort.httpStatus ?? 0 }
          : { grpc: grpcStatusNames.indexOf(abort.grpcStatus) },
      percent: share(abort),
    },
  };
}

export function corsOf(policy: CorsPolicy): CorsIR {
  const older = (policy.allowOrigin ?? []).map((value): StringMatchIR => ({ kind: 'exact', value }));
  const maxAge = durationMs(policy.maxAge);
  return {
    allowOrigins: [...older, ...(policy.allowOrigins ?? []).map(originMatch)],
    allowMethods: policy.allowMethods ?? [],
    allowHeaders: policy.allowHeaders ?? [],
    exposeHeaders: policy.exposeHeaders ?? [],
    maxAgeSeconds: maxAge === undefined ? undefined : Math.round(maxAge / 1000),
    allowCredentials: policy.allowCredentials === true,
    // Nobody but the user should send a stranger's preflight to the application.
    forwardsUnmatchedPreflights: policy.unmatchedPreflights === 'FORWARD',
  };
}

function originMatch({ exact, prefix, regex }: StringMatch): StringMatchIR {
  if (exact !== undefined) return { kind: 'exact', value: exact };
  return prefix === undefined ? { kind: 'regex', value: regex ?? '' } : { kind: 'prefix', value: prefix };
}

function share({ percentage, percent }: { readonly percentage?: Percentage; readonly percent?: number }): number {
  return percentage === undefined ? (percent ?? 0) : (percentage.value ?? 0);
}
