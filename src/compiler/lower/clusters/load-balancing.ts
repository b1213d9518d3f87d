import type { ConsistentHash, LoadBalancerSettings } from '../../../policy/destination-rule.ts';
import type { ClusterType, LoadBalancing } from '../../ir/cluster.ts';
import type { HashPolicyIR } from '../../ir/route.ts';
import { durationMs } from './connection-pool.ts';

/**
 * ORIGINAL_DST goes before every rule: Envoy refuses it with any other policy than its own. Where each request is for a
 * key, its endpoint is chosen by key, whatever a rule says: elsewhere it would not be found again.
 */
export function loadBalancing(
  type: ClusterType,
  settings: LoadBalancerSettings | undefined,
  isByKey = false,
): LoadBalancing {
  if (type === 'original-dst') return { policy: 'cluster-provided' };
  const hash = settings?.consistentHash;
  if (hash?.maglev !== undefined) return { policy: 'maglev', tableSize: hash.maglev.tableSize || undefined };
  if (hash !== undefined) {
    return { policy: 'ring-hash', minimumRingSize: hash.ringHash?.minimumRingSize || hash.minimumRingSize || 1024 };
  }
  if (isByKey) return { policy: 'maglev', tableSize: undefined };
  const warmupMs = durationMs(settings?.warmupDurationSecs) || undefined;
  const warmup = warmupMs === undefined ? {} : { warmupMs };
  switch (settings?.simple) {
    case 'LEAST_CONN':
    case 'LEAST_REQUEST':
      return { policy: 'least-request', ...warmup };
    case 'RANDOM':
      return { policy: 'random' };
    default:
      return { policy: 'round-robin', ...warmup };
  }
}

/** What a route hashes for a consistent-hash cluster; empty for other policies. */
export function hashPolicies(hash: ConsistentHash | undefined): readonly HashPolicyIR[] {
  if (hash?.httpHeaderName !== undefined) return [{ kind: 'header', name: hash.httpHeaderName }];
  if (hash?.httpCookie !== undefined) {
    const { name, path, ttl } = hash.httpCookie;
    return [{ kind: 'cookie', name, path, ttlMs: durationMs(ttl) }];
  }
  if (hash?.useSourceIp === true) return [{ kind: 'source-ip' }];
  if (hash?.httpQueryParameterName !== undefined) {
    return [{ kind: 'query-parameter', name: hash.httpQueryParameterName }];
  }
  return [];
}
