import { whyIdle } from '../authorization/idle-value.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Identities of the mesh have one form; a text of another one is compared with them all the same. */
export const rule: Rule = {
  code: 'principal-of-no-identity',
  id: 'MP323',
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a principal that does not have the form of an identity',
  why: 'no client has that principal, so the condition matches nobody: an ALLOW rule lets nobody in by it, and a DENY rule denies nobody',
  hint: 'write <trust domain>/ns/<namespace>/sa/<service account>',
  outranks: ['untrusted-domain'],
  check({ snapshot, report }) {
    const { trustDomain, trustDomainAliases } = snapshot.settings;
    const domains = new Set(['cluster.local', trustDomain, ...trustDomainAliases]);
    for (const at of allRulesOf(snapshot)) {
      for (const { value, path, isNegated } of placedValues(at, /^((p|notP)rincipals|source\.principal)$/)) {
        if (mayBeIdentity(value, domains) && (domains.has(value.split('/')[0] ?? '') || !isBareAccount(value)))
          continue;
        const meant = meantBy(value, trustDomain);
        report({
          ...{ object: at.policy, path },
          message: `no client has the principal "${value}", expected <trust domain>/ns/<namespace>/sa/<service account>`,
          why: whyIdle(at.policy, isNegated, 'no client has that principal'),
          hint: meant && `write "${meant}" if that identity is meant`,
        });
      }
    }
  },
};

/** False only for what no certificate can say: certificates that others issue, for other domains, may have paths of their own. */
function mayBeIdentity(value: string, domains: ReadonlySet<string>): boolean {
  if (value.includes('*')) return true;
  const [domain, ns, , sa, account, ...rest] = value.split('/');
  if (ns === undefined || domain === '' || domain === 'ns') return false;
  if (ns !== 'ns') return !domains.has(domain ?? '');
  return sa === 'sa' && account !== undefined && account !== '' && rest.length === 0;
}

/** `<namespace>/<service account>`, where a trust domain would have a dot or be one that the mesh knows. */
function isBareAccount(value: string): boolean {
  return /^[a-z0-9-]+(\/sa)?\/[a-z0-9.-]+$/.test(value);
}

/** Forms that people know from elsewhere: the user name of a service account, and an identity with a part left out. */
function meantBy(value: string, trustDomain: string): string | undefined {
  const [, namespace, account] =
    /^system:serviceaccount:([^:/]+):([^:/]+)$/.exec(value) ??
    /^[^/]+\/ns\/([^/]+)\/([^/]+)$/.exec(value) ??
    /^\/?ns\/([^/]+)\/sa\/([^/]+)$/.exec(value) ??
    /^([a-z0-9-]+)(?:\/sa)?\/([^/]+)$/.exec(value) ??
    /^[^/]+\/([a-z0-9-]+)(?:\/sa)?\/([^/]+)$/.exec(value) ??
    [];
  if (namespace === undefined || account === undefined || account === 'sa') return undefined;
  return `${trustDomain}/ns/${namespace}/sa/${account}`;
}
