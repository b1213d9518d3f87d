import type { Origins } from '../../ir/origin.ts';
import type { RouteConfigurationIR } from '../../ir/route.ts';
import { everyRequest } from '../routes/route-match.ts';

/** Everything to one cluster, without time-out and without retries: those are the client's side's business. */
export function inboundRoutes(name: string, cluster: string, origins: Origins): RouteConfigurationIR {
  const action = { kind: 'cluster', cluster, timeoutMs: 0, retry: undefined, hashPolicies: [] } as const;
  const route = { name: 'default', match: everyRequest, action, origins };
  const virtualHost = { name, domains: ['*'], routes: [route], includeAttemptCount: false, origins };
  return { name, virtualHosts: [virtualHost] };
}
