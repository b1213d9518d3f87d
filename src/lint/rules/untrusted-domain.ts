import { KnownNames } from '../../lib/known-names.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Certificates of other trust domains are refused before rules are looked at. */
export const rule: Rule = {
  code: 'untrusted-domain',
  id: 'MP313',
  peers: ['KIA0108'],
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a principal of a trust domain that the mesh does not trust',
  why: 'no client has that principal: in "principals" or "values" it matches nobody, and in "notPrincipals" or "notValues" it exempts nobody',
  hint: 'write <trust domain>/ns/<namespace>/sa/<service account>, or add the domain to trustDomainAliases',
  check({ snapshot, report, skip }) {
    const { trustDomain, trustDomainAliases, skipValidateTrustDomain } = snapshot.settings;
    if (skipValidateTrustDomain) return;
    const trusted = [trustDomain, ...trustDomainAliases];
    const known = new Map(['cluster.local', ...trusted].map((name) => [name.replaceAll('.', '-'), name]));
    const names = new KnownNames(known.keys());
    // Without a setting that names the domains of the mesh, the one that it really has may be another.
    const isSaid = trustDomain !== 'cluster.local' || trustDomainAliases.length > 0;
    for (const at of allRulesOf(snapshot)) {
      for (const { value, path, isNegated } of placedValues(at, /^((p|notP)rincipals|source\.principal)$/)) {
        const domain = foreignDomain(value, trusted);
        if (domain === undefined) continue;
        const meant = known.get(names.meantBy(domain.replaceAll('.', '-')) ?? '');
        if (!isSaid && meant === undefined) {
          skip(at.policy);
          continue;
        }
        const message = `no client has the principal "${value}": the mesh trusts ${trusted.join(', ')}, not "${domain}"`;
        const hint = meant && `did you mean "${meant}${value.slice(domain.length)}"?`;
        const why = whyIdle(at.policy, isNegated, 'no client has that principal');
        report({ object: at.policy, path, message, why, ...(hint ? { hint } : {}) });
      }
    }
  },
};

/** The domain that a principal names, when it names one that the mesh does not trust; cluster.local stands for its own. */
function foreignDomain(value: string, trusted: readonly string[]): string | undefined {
  const slash = value.indexOf('/');
  const domain = value.slice(0, Math.max(slash, 0));
  if (slash < 0 || domain.includes('*') || value.startsWith('spiffe:')) return undefined;
  return domain === 'cluster.local' || trusted.includes(domain) ? undefined : domain;
}
