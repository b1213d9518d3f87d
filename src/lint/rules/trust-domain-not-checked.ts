import type { Rule } from '../rule.ts';

/** A switch for meshes without trust domains, forgotten in one that has them. */
export const rule: Rule = {
  code: 'trust-domain-not-checked',
  id: 'MP805',
  severity: 'warning',
  category: 'agent',
  direction: 'widens',
  confidence: 'certain',
  kinds: [],
  needs: 'policies',
  since: '0.1.0',
  title: 'the trust domain of client certificates is not checked',
  why: 'a client whose certificate is signed by a trusted root counts as a member of the mesh, whatever trust domain its certificate names',
  hint: 'remove PILOT_SKIP_VALIDATE_TRUST_DOMAIN, and list the foreign trust domains that you trust in trustDomainAliases',
  check({ snapshot, report }) {
    if (!snapshot.settings.skipValidateTrustDomain) return;
    report({ setting: 'skipValidateTrustDomain', message: 'the trust domain of clients is not checked' });
  },
};
