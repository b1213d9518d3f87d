import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { LoadBalancerSettings, LocalityLoadBalancing } from '../../../policy/destination-rule.ts';
import type { ClusterType } from '../../ir/cluster.ts';
import type { EffectiveTraffic } from '../../merge/effective.ts';
import type { Service } from '../../topology/model.ts';
import { fieldSpan } from '../origins.ts';

/** Tells which fields of a rule's load balancer have no effect on a cluster of this type, or whose keys choose. */
export function reportIdleFields(
  traffic: EffectiveTraffic,
  service: Service,
  { type, isByKey }: { readonly type: ClusterType; readonly isByKey: boolean },
  bag: DiagnosticBag,
): void {
  const { loadBalancer, outlierDetection } = traffic.blocks;
  if (loadBalancer === undefined) return;
  const origin = traffic.origins.decidedBy.find(({ field }) => field.includes('loadBalancer'));
  const warn = (why: string, ...path: readonly string[]): void => {
    const span = origin && fieldSpan(origin, 'loadBalancer', ...path);
    bag.report('field-without-effect', span, { field: path.at(-1) ?? '', host: service.host, why });
  };
  if (isByKey && type !== 'original-dst' && loadBalancer.simple !== undefined) warn(chosenByKey, 'simple');
  const isWarmupIdle = idleWarmup(loadBalancer, type, isByKey);
  if (isWarmupIdle !== undefined) warn(isWarmupIdle, 'warmupDurationSecs');
  const setting = loadBalancer.localityLbSetting ?? {};
  for (const field of ['distribute', 'failover', 'failoverPriority'] as const) {
    if (setting[field] === undefined) continue;
    const why = idleLocality(setting, field, type, outlierDetection !== undefined);
    if (why !== undefined) warn(why, 'localityLbSetting', field);
  }
}

function idleWarmup(
  { warmupDurationSecs, simple, consistentHash }: LoadBalancerSettings,
  type: ClusterType,
  isByKey: boolean,
): string | undefined {
  if (warmupDurationSecs === undefined) return undefined;
  if (type === 'original-dst') return chosenByCaller;
  if (isByKey) return chosenByKey;
  if (simple !== 'RANDOM' && consistentHash === undefined) return undefined;
  return 'only ROUND_ROBIN and LEAST_REQUEST support a warmup';
}

function idleLocality(
  { enabled, distribute }: LocalityLoadBalancing,
  field: 'distribute' | 'failover' | 'failoverPriority',
  type: ClusterType,
  isEjecting: boolean,
): string | undefined {
  if (type === 'original-dst') return chosenByCaller;
  if (enabled === false) return '"enabled" is false';
  if (field === 'distribute') return undefined;
  if (distribute !== undefined) return '"distribute" replaces it';
  return isEjecting ? undefined : 'failover needs "outlierDetection", which detects failing endpoints';
}

const chosenByCaller = 'the application chooses the endpoint itself';
const chosenByKey = 'the Redis proxy chooses endpoints by key';
