import type { OutlierDetection } from '../../../policy/destination-rule.ts';
import type { OutlierDetectionIR } from '../../ir/cluster.ts';
import { durationMs } from './connection-pool.ts';

/** Undefined switches a detector's own default on; 0 switches the detector off. */
export function outlierDetection(rule: OutlierDetection | undefined): OutlierDetectionIR | undefined {
  if (rule === undefined) return undefined;
  return {
    consecutive5xx: rule.consecutive5xxErrors,
    // The deprecated field counted gateway errors.
    consecutiveGatewayFailure: rule.consecutiveGatewayErrors ?? (rule.consecutiveErrors || undefined),
    consecutiveLocalOriginFailure: rule.consecutiveLocalOriginFailures,
    splitExternalLocalOriginErrors: rule.splitExternalLocalOriginErrors ?? false,
    intervalMs: durationMs(rule.interval) || undefined,
    baseEjectionTimeMs: durationMs(rule.baseEjectionTime) || undefined,
    maxEjectionPercent: rule.maxEjectionPercent || undefined,
  };
}
