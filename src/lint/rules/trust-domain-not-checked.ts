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
  title: 'clients of every trust domain are believed',
  why: 'whoever has a certificate of the same roots passes for a member of the mesh, whatever trust domain it names',
  hint: 'remove PILOT_SKIP_VALIDATE_TRUST_DOMAIN, and list foreign domains in trustDomainAliases',
  check({ snapshot, report }) {
    if (!snapshot.settings.skipValidateTrustDomain) return;
    report({ setting: 'skipValidateTrustDomain', message: 'the trust domain of clients is not checked' });
  },
};
