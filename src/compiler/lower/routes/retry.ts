import type { HttpRetry } from '../../../policy/virtual-service.ts';
import type { HashPolicyIR, RetryPolicyIR } from '../../ir/route.ts';
import { durationMs } from '../clusters/connection-pool.ts';

/** What did not reach the application, and two gRPC statuses that say so; never a 503, which tells nothing of this. */
const conditions: readonly string[] = ['connect-failure', 'refused-stream', 'unavailable', 'cancelled'];

const defaultAttempts = 2;

/** Undefined for a route that switches retries off. */
export function retryPolicy(
  wanted: HttpRetry | undefined,
  hashPolicies: readonly HashPolicyIR[],
): RetryPolicyIR | undefined {
  if (wanted?.attempts === 0) return undefined;
  const { attempts = defaultAttempts, retryOn, perTryTimeout, backoff, retryRemoteLocalities } = wanted ?? {};
  // A hash names the host: trying another would break the affinity that the rule asks for.
  const avoidPreviousHosts = (wanted?.retryIgnorePreviousHosts ?? true) && hashPolicies.length === 0;
  const perTryTimeoutMs = durationMs(perTryTimeout);
  const backoffMs = durationMs(backoff);
  return {
    attempts,
    ...retried(retryOn),
    avoidPreviousHosts,
    ...(perTryTimeoutMs === undefined ? {} : { perTryTimeoutMs }),
    ...(backoffMs === undefined ? {} : { backoffMs }),
    ...(retryRemoteLocalities === true ? { triesOtherLocalities: true } : {}),
  };
}

/** Statuses stand among the conditions; Envoy wants them apart. */
function retried(retryOn = ''): Pick<RetryPolicyIR, 'retryOn' | 'statuses'> {
  const parts = retryOn.split(',').filter((part) => part !== '');
  if (parts.length === 0) return { retryOn: conditions };
  const statuses = parts.filter((part) => /^\d+$/.test(part)).map(Number);
  const named = parts.filter((part) => !/^\d+$/.test(part));
  if (statuses.length === 0) return { retryOn: named };
  return { retryOn: [...new Set([...named, 'retriable-status-codes'])], statuses };
}
