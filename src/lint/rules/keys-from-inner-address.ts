import type { Rule } from '../rule.ts';
import { jwtRulesOf } from '../tokens/jwt-rules.ts';
import { innerKind, keyHost } from '../tokens/key-url.ts';

/** The agent fetches keys from public addresses alone, so that no policy makes it ask inner services. */
export const rule: Rule = {
  code: 'keys-from-inner-address',
  id: 'MP504',
  peers: ['IST0175'],
  severity: 'warning',
  category: 'tokens',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['RequestAuthentication'],
  needs: 'policies',
  since: '0.1.0',
  title: 'signing keys at an address inside the network',
  why: 'here, unlike in Istio, keys are fetched from hosts inside the network only if the mesh configuration allows it; without keys every token is refused',
  hint: 'list the host in "jwksAllowedHosts" of the mesh configuration, or write the keys into "jwks"',
  outranks: ['keys-over-plain-http'],
  check({ snapshot, report }) {
    const { jwksAllowedHosts, clusterDomain } = snapshot.settings;
    const allowed = new Set(jwksAllowedHosts.map((host) => host.toLowerCase()));
    for (const { policy, rule, path } of jwtRulesOf(snapshot.policies.requestAuthentications)) {
      const host = rule.jwks ? undefined : keyHost(rule.jwksUri);
      const kind = host === undefined || allowed.has(host) ? undefined : innerKind(host, clusterDomain);
      if (kind === undefined) continue;
      const message = `the keys are at "${host}", ${kind}, which "jwksAllowedHosts" does not list`;
      report({ object: policy, path: [...path, 'jwksUri'], message });
    }
  },
};
