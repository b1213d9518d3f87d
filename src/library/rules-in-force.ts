import type { RuleInForce, TokenInForce } from '../access/description.ts';
import { formatPath } from '../diagnostics/json-path.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import type { AuthorizationPolicy, AuthorizationRule } from '../policy/authorization-policy.ts';
import type { MeshObject } from '../policy/object.ts';
import type { RequestAuthentication } from '../policy/request-authentication.ts';

/** Tells the place of a field of an object. */
export type PlaceOf = (object: MeshObject<string>, field: JsonPath) => TokenInForce['decidedBy'];

/** Rules in the order in which a request meets them: by action, and in each action as Envoy tries them. */
export function rulesInForce(policies: readonly AuthorizationPolicy[], placeOf: PlaceOf): readonly RuleInForce[] {
  return (['CUSTOM', 'AUDIT', 'DENY', 'ALLOW'] as const).flatMap((action) => {
    const own = policies.filter(({ spec }) => (spec.action ?? 'ALLOW') === action);
    const rules = own.flatMap((policy) => rulesOf(policy, action, placeOf));
    return rules.sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
  });
}

function rulesOf(policy: AuthorizationPolicy, action: RuleInForce['action'], placeOf: PlaceOf): readonly RuleInForce[] {
  const { namespace, name, annotations, spec } = policy;
  const authorizer = spec.provider?.name;
  const common = {
    action,
    ...(authorizer !== undefined && { authorizer }),
    isDryRun: annotations['mesh.io/dry-run'] === 'true',
  };
  const { rules = [] } = spec;
  if (rules.length === 0) return [{ ...common, words: [], decidedBy: placeOf(policy, ['spec']) }];
  return rules.map((rule, i) => ({
    ...common,
    words: wordsOf(rule),
    name: `ns[${namespace}]-policy[${name}]-rule[${i}]`,
    decidedBy: placeOf(policy, ['spec', 'rules', i]),
  }));
}

/** What a rule asks, in the words of its fields, one part each. */
function wordsOf({ from = [], to = [], when = [] }: AuthorizationRule): readonly string[] {
  const fields = (part: object): string =>
    Object.entries(part)
      .map(([field, values]: [string, readonly string[]]) => `${field} ${values.join(', ')}`)
      .join(' and ') || 'anything';
  const conditions = when.map(({ key, values = [], notValues = [] }) =>
    [
      ...(values.length > 0 ? [`${key} is ${values.join(', ')}`] : []),
      ...(notValues.length > 0 ? [`${key} is not ${notValues.join(', ')}`] : []),
    ].join(' and '),
  );
  const words = [
    ...(from.length > 0 ? [`from ${from.map(({ source }) => fields(source)).join('; or from ')}`] : []),
    ...(to.length > 0 ? [`to ${to.map(({ operation }) => fields(operation)).join('; or to ')}`] : []),
    ...(conditions.length > 0 ? [`when ${conditions.join(' and ')}`] : []),
  ];
  return words.length > 0 ? words : ['anything'];
}

/** The issuers whose tokens are read, in the order of the policies. */
export function tokensInForce(policies: readonly RequestAuthentication[], placeOf: PlaceOf): readonly TokenInForce[] {
  return policies.flatMap((policy) =>
    (policy.spec.jwtRules ?? []).map((rule, i): TokenInForce => {
      const { issuer = '', audiences = [], fromHeaders = [], fromParams = [], fromCookies = [] } = rule;
      const locations = [
        ...fromHeaders.map(({ name, prefix = '' }) => `header ${name}${prefix === '' ? '' : ` after "${prefix}"`}`),
        ...fromParams.map((name) => `parameter ${name}`),
        ...fromCookies.map((name) => `cookie ${name}`),
      ];
      const places =
        locations.length > 0 ? locations : ['header authorization after "Bearer "', 'parameter access_token'];
      return { issuer, audiences, locations: places, decidedBy: placeOf(policy, ['spec', 'jwtRules', i]) };
    }),
  );
}

/** A field of an object as `origins.json` has it. */
export function fieldOf({ kind, namespace, name }: MeshObject<string>, field: JsonPath) {
  return { kind, namespace, name, field: formatPath(field) };
}
