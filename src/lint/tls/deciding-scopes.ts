import { hasLabels } from '../../compiler/topology/selector.ts';
import type { PeerAuthentication } from '../../policy/peer-authentication.ts';

/** By namespace, the first policy that sets a mode for all of it; of a second one the compiler says that it competes. */
export function decidingScopes(policies: readonly PeerAuthentication[]): ReadonlyMap<string, PeerAuthentication> {
  const found = new Map<string, PeerAuthentication>();
  for (const policy of policies) {
    const { mode = 'UNSET' } = policy.spec.mtls ?? {};
    if (!hasLabels(policy.spec.selector) && mode !== 'UNSET' && !found.has(policy.namespace))
      found.set(policy.namespace, policy);
  }
  return found;
}
