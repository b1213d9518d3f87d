import type { AuthorizationPolicy, Source } from '../../policy/authorization-policy.ts';
import type { Report, Rule } from '../rule.ts';
import { checkConditions } from './conditions.ts';
import { checkImpossibleValues } from './impossible-values.ts';
import { checkMatchValues } from './match-values.ts';
import { checkPathValues } from './path-values.ts';
import { checkTargets } from './policy-targets.ts';

/** Validation of AuthorizationPolicy beyond its schema. */
export const authorizationPolicyRules: readonly Rule<AuthorizationPolicy>[] = [
  checkActionHasRules,
  checkProvider,
  checkServiceAccounts,
  checkCustomFields,
  checkConditions,
  checkMatchValues,
  checkImpossibleValues,
  checkPathValues,
  checkTargets,
];

function checkActionHasRules({ spec }: AuthorizationPolicy, report: Report): void {
  const { action = 'ALLOW', rules = [] } = spec;
  if (rules.length > 0 || (action !== 'DENY' && action !== 'CUSTOM')) return;
  const { effect, hint } = withoutRules[action];
  report('action-without-rules', ['spec', 'action'], { action, effect }, { hint });
}

/** Who writes DENY alone most often means that nothing is allowed, which the action of an empty policy is not needed for. */
const withoutRules = {
  DENY: {
    effect: 'denies nothing',
    hint: 'to refuse whatever no ALLOW policy allows, remove "action"; "rules: [{}]" refuses every request, also what ALLOW policies allow',
  },
  CUSTOM: {
    effect: 'asks the external authorizer about nothing',
    hint: 'write "rules: [{}]" to have every request authorized',
  },
} as const;

function checkProvider({ spec }: AuthorizationPolicy, report: Report): void {
  const { action = 'ALLOW', provider } = spec;
  if (action === 'CUSTOM' && provider === undefined) report('missing-provider', ['spec', 'action'], {});
  if (action !== 'CUSTOM' && provider !== undefined) {
    report('provider-without-custom', ['spec', 'provider'], { action }, { part: 'key' });
  }
}

/** A service account already says namespace and principal. */
function checkServiceAccounts(policy: AuthorizationPolicy, report: Report): void {
  eachSource(policy, (source, path) => {
    const field = source.serviceAccounts ? 'serviceAccounts' : source.notServiceAccounts ? 'notServiceAccounts' : '';
    if (field === '') return;
    for (const other of ['principals', 'notPrincipals', 'namespaces', 'notNamespaces'] as const) {
      if (source[other] === undefined) continue;
      const holes = { fields: `"${field}" and "${other}"`, where: 'a source' };
      report('conflicting-fields', [...path, other], holes, { part: 'key' });
    }
  });
}

const identityFields = ['principals', 'requestPrincipals', 'namespaces', 'serviceAccounts', 'trustDomains'] as const;

/** The provider is asked before tokens and identities were looked at. */
function checkCustomFields(policy: AuthorizationPolicy, report: Report): void {
  if (policy.spec.action !== 'CUSTOM') return;
  eachSource(policy, (source, path) => {
    for (const field of identityFields) {
      const negated = `not${field[0]?.toUpperCase()}${field.slice(1)}` as keyof Source;
      for (const name of [field, negated]) {
        if (source[name] === undefined) continue;
        report('unsupported-with-custom', [...path, name], { field: name }, { part: 'key' });
      }
    }
  });
}

function eachSource(
  { spec }: AuthorizationPolicy,
  visit: (source: Source, path: readonly (string | number)[]) => void,
): void {
  for (const [i, rule] of (spec.rules ?? []).entries()) {
    for (const [j, { source }] of (rule.from ?? []).entries()) visit(source, ['spec', 'rules', i, 'from', j, 'source']);
  }
}
