import type { PeerAuthentication } from '../../policy/peer-authentication.ts';
import type { Report, Rule } from '../rule.ts';

/** Policy semantics of Istio, validation of PeerAuthentication. */
export const peerAuthenticationRules: readonly Rule<PeerAuthentication>[] = [checkPortLevelNeedsSelector];

function checkPortLevelNeedsSelector({ spec }: PeerAuthentication, report: Report): void {
  if (spec.portLevelMtls === undefined || Object.keys(spec.selector?.matchLabels ?? {}).length > 0) return;
  report('port-level-without-selector', ['spec', 'portLevelMtls'], {}, { part: 'key' });
}
