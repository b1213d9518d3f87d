import type { TellingCase } from './case.ts';
import { tellingGateways } from './gateways.ts';
import { tellingServers } from './servers.ts';
import { tellingTokens } from './tokens.ts';

/**
 * Requests that chance hardly makes, each of which tells Envoy from a model of it with one mistake. Their workloads have
 * the addresses `addressOf(0)` and so on.
 */
export async function tellingCases(addressOf: (index: number) => string): Promise<readonly TellingCase[]> {
  return [
    ...(await tellingTokens(addressOf(0))),
    ...(await tellingGateways(addressOf(1))),
    ...(await tellingServers((index) => addressOf(2 + index))),
  ];
}
