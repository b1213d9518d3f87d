import { append } from '../../lib/append.ts';
import { nearest } from '../../lib/nearest.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { RequestAuthentication } from '../../policy/request-authentication.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';
import { bySelector, type SelectingPolicy } from '../tokens/meeting.ts';

/** Fields that name an issuer; of a principal, the issuer is what stands before the last slash. */
const naming = /^((r|notR)equestPrincipals|request\.auth\.(principal|claims\[iss\]))$/;

/** A token counts only where its issuer's rule has verified it. */
export const rule: Rule = {
  code: 'issuer-of-no-authentication',
  id: 'MP517',
  severity: 'warning',
  category: 'tokens',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a rule about tokens of an issuer whose tokens the workload does not verify',
  why: 'tokens of that issuer are refused with 401 before the rule is asked, so the value matches no request',
  hint: 'write the issuer of the RequestAuthentication, or add a rule for this issuer to it',
  check({ snapshot, report }) {
    const verified = new Verified(snapshot.policies.requestAuthentications, snapshot.settings.rootNamespace);
    for (const at of allRulesOf(snapshot)) {
      const issuers = verified.issuersFor(at.policy);
      if (issuers.size === 0) continue;
      for (const { field, value, path, isNegated } of placedValues(at, naming)) {
        const issuer = issuerOf(field, value);
        // A principal that is an issuer alone lacks its subject, and another rule says so.
        if (issuer === undefined || issuers.has(value) || issuers.has(issuer) || issuers.has(withoutSlash(issuer)))
          continue;
        if ([...issuers].some((known) => withoutSlash(known) === issuer)) continue;
        const owner = [...issuers].find((known) => value.startsWith(`${known}/`));
        if (owner !== undefined) {
          const message = `"${field}" has "${value}": the last slash ends the issuer, so this is no subject of "${owner}"`;
          const why = whyIdle(at.policy, isNegated, whyOfSlash);
          report({ object: at.policy, path, message, why, hint: hintOfSlash(owner) });
          continue;
        }
        const meant = nearest(issuer, issuers);
        report({
          ...{ object: at.policy, path },
          message: `"${field}" has the issuer "${issuer}", and the RequestAuthentication for these workloads verifies tokens of ${list(issuers)}`,
          why: whyIdle(at.policy, isNegated, 'tokens of that issuer are refused with 401 before the rule is asked'),
          hint: meant && `write "${value.replace(issuer, meant)}" if tokens of that issuer are meant`,
        });
      }
    }
  },
};

const whyOfSlash = 'a request principal is parted at its last slash, and no token has this one';

function hintOfSlash(issuer: string): string {
  return `write "${issuer}/*", and compare the subject in "when": key request.auth.claims[sub]`;
}

/** Undefined where a star leaves the issuer open. */
function issuerOf(field: string, value: string): string | undefined {
  const issuer = field.endsWith('claims[iss]') ? value : value.slice(0, value.lastIndexOf('/'));
  return issuer === '' || issuer.includes('*') ? undefined : issuer;
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, '');
}

function list(issuers: ReadonlySet<string>): string {
  const names = [...issuers].slice(0, 3).map((issuer) => `"${issuer}"`);
  return names.join(', ') + (issuers.size > names.length ? ` and ${issuers.size - names.length} more` : '');
}

/** The issuers that RequestAuthentications verify, or may verify, where one holds for policies of the same selector. */
class Verified {
  readonly #groups: ReadonlyMap<string, readonly RequestAuthentication[]>;
  readonly #byNamespace = new Map<string, RequestAuthentication[]>();
  readonly #root: string;

  constructor(policies: readonly RequestAuthentication[], root: string) {
    this.#groups = bySelector(policies);
    this.#root = root;
    for (const policy of policies) append(this.#byNamespace, policy.namespace, policy);
  }

  /**
   * The issuers whose tokens the workloads may verify; none if no RequestAuthentication applies to them for certain.
   */
  issuersFor(policy: AuthorizationPolicy): ReadonlySet<string> {
    const [[key] = ['']] = bySelector([policy]);
    if (!this.#groups.has(key)) return none;
    const near = new Set([policy.namespace, this.#root]);
    const others = [...near].flatMap((namespace) => this.#byNamespace.get(namespace) ?? []);
    const rules = others.flatMap((other) => (areApart(other, policy) ? [] : (other.spec.jwtRules ?? [])));
    return new Set(rules.flatMap(({ issuer }) => (issuer === undefined ? [] : [issuer])));
  }
}

/** Whether one label must have two values for a workload of both. */
function areApart(one: SelectingPolicy, other: SelectingPolicy): boolean {
  const labels = other.spec.selector?.matchLabels ?? {};
  return Object.entries(one.spec.selector?.matchLabels ?? {}).some(([key, value]) => (labels[key] ?? value) !== value);
}

const none: ReadonlySet<string> = new Set();
