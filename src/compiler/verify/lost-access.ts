import type { Fragment } from '../../envoy/api/fragment.ts';
import type { HttpPolicyFilterIR } from '../ir/policy-filter.ts';
import type { RbacIR, RbacPolicyIR } from '../ir/rbac.ts';
import { askedText, foundText } from './access-text.ts';
import { expectValue, type Lose } from './expect.ts';
import { authorizerLosses } from './lost-authorizer.ts';

type Kind = HttpPolicyFilterIR['kind'];

const kinds: Readonly<Record<string, Kind>> = {
  'envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication': 'jwt-authn',
  'envoy.extensions.filters.http.rbac.v3.RBAC': 'rbac',
  'envoy.extensions.filters.network.rbac.v3.RBAC': 'rbac',
  'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz': 'ext-authz',
  'envoy.extensions.filters.network.ext_authz.v3.ExtAuthz': 'ext-authz',
};

/** The access filters of a chain, or of its HTTP filters: these, in this order, each with its rules, and no others. */
export function accessLosses(filters: Fragment, wanted: readonly HttpPolicyFilterIR[], lose: Lose): void {
  const found = filters.items.flatMap((filter) => {
    const kind = kinds[filter.at('typed_config').type ?? ''];
    return kind === undefined || isUsersOwn(filter.at('typed_config')) ? [] : [{ kind, filter }];
  });
  const foundKinds = kindsOf(found, wanted);
  const wantedKinds = kindsOf(wanted, found);
  if (foundKinds !== wantedKinds) {
    lose(filters, `the access filters are ${foundKinds || 'absent'}, not ${wantedKinds || 'absent'}`);
    return;
  }
  const access = found.filter(({ kind }) => kind !== 'jwt-authn');
  for (const ir of wanted) {
    const filter = ir.kind === 'jwt-authn' ? undefined : access.shift()?.filter;
    if (filter === undefined || ir.kind === 'jwt-authn') continue;
    expectValue(filter.at('disabled'), false, lose, false);
    if (ir.kind === 'rbac') rbacLosses(filter.at('typed_config'), ir, lose);
    else authorizerLosses(filter.at('typed_config'), ir, lose);
  }
}

/** Enforced rules of a user's template, which only take access away; those that are tried only could answer for ours. */
function isUsersOwn(config: Fragment): boolean {
  const names = Object.keys((config.at('rules', 'policies').value as object | undefined) ?? {});
  const isPlain = config.fields.every((field) => ['@type', 'rules', 'stat_prefix'].includes(field));
  return isPlain && names.length > 0 && !names.some((name) => name.startsWith('ns['));
}

/** Without the token filter where the two lists have different numbers of it: that is told by itself. */
function kindsOf(filters: readonly { readonly kind: Kind }[], others: readonly { readonly kind: Kind }[]): string {
  const tokens = (list: typeof filters): number => list.filter(({ kind }) => kind === 'jwt-authn').length;
  const isTold = tokens(filters) !== tokens(others);
  return filters.flatMap(({ kind }) => (isTold && kind === 'jwt-authn' ? [] : [kind])).join(', ');
}

const rbacFields = [
  '@type',
  'rules',
  'rules_stat_prefix',
  'shadow_rules',
  'shadow_rules_stat_prefix',
  'stat_prefix',
  'track_per_rule_stats',
];

function rbacLosses(config: Fragment, { action, policies, shadow }: RbacIR, lose: Lose): void {
  for (const field of config.fields) {
    if (!rbacFields.includes(field)) lose(config.at(field), `no rule asks for ${field}`);
  }
  rulesLosses(config, 'rules', action, policies, lose);
  rulesLosses(config, 'shadow_rules', action, shadow?.policies, lose);
  expectValue(config.at('shadow_rules_stat_prefix'), shadow?.statPrefix, lose);
}

function rulesLosses(
  config: Fragment,
  field: 'rules' | 'shadow_rules',
  action: RbacIR['action'],
  policies: readonly RbacPolicyIR[] | undefined,
  lose: Lose,
): void {
  const rules = config.at(field);
  if (policies === undefined || !rules.exists) {
    if (policies !== undefined) lose(config, `${field} are absent`);
    else if (rules.exists) lose(rules, `no rule asks for ${field}`);
    return;
  }
  expectValue(rules.at('action'), action, lose, 'ALLOW');
  const found = rules.at('policies');
  const names = new Set(Object.keys((found.value as object | undefined) ?? {}));
  for (const policy of policies) {
    if (!names.delete(policy.name)) lose(found.exists ? found : rules, `the rule "${policy.name}" is missing`);
    else policyLosses(found.at(policy.name), policy, lose);
  }
  for (const name of names) lose(found.at(name), `nobody asks for the rule "${name}"`);
}

/** JSON texts that are known to say what a rule asks for: chains of one workload carry the same rules. */
const sound = new WeakMap<RbacPolicyIR, string>();

function policyLosses(found: Fragment, policy: RbacPolicyIR, lose: Lose): void {
  const text = JSON.stringify(found.value);
  if (sound.get(policy) === text) return;
  const fields = found.fields.filter((field) => field !== 'permissions' && field !== 'principals');
  for (const field of fields) lose(found.at(field), `no rule asks for ${field}`);
  const wrong = (['permission', 'principal'] as const).filter(
    (side) => alternatives(found.at(`${side}s`)) !== askedText(policy[side]),
  );
  for (const side of wrong) lose(found.at(`${side}s`), `the ${side}s of "${policy.name}" are not those of its rule`);
  if (fields.length === 0 && wrong.length === 0) sound.set(policy, text);
}

function alternatives({ items }: Fragment): string {
  const texts = items.map(foundText);
  return texts.length === 1 ? (texts[0] ?? '') : `some(${texts.join(', ')})`;
}
