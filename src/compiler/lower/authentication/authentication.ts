import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { sortedBy } from '../../../lib/sort.ts';
import { type KeySetAnswer, noKeySets } from '../../../policy/key-sets.ts';
import type { JwtRule, RequestAuthentication } from '../../../policy/request-authentication.ts';
import type { JwtAuthnIR, JwtProviderIR } from '../../ir/jwt-authn.ts';
import type { RbacIR } from '../../ir/rbac.ts';
import type { Lowering } from '../lowering.ts';
import { objectOrigin } from '../origins.ts';
import { groupedByAudiences } from './audiences.ts';
import { invalidTokenRule, refusedTokens } from './refused-tokens.ts';
import { standInKeySet } from './stand-in.ts';

/** One rule, where it stands, and the keys for its tokens. */
interface PlacedRule {
  readonly policy: RequestAuthentication;
  readonly index: number;
  readonly rule: JwtRule;
  readonly keys: KeySetAnswer;
}

/** The filter that verifies tokens, and the one right behind it that refuses some of those that it verified. */
export type AuthenticationFilters = readonly [tokens: JwtAuthnIR, refused: RbacIR];

/**
 * All rules of all policies of one workload, sorted by issuer; undefined when there are none. Each rule is
 * enough for a token. A rule whose keys are not at hand gets a key set that verifies nothing, and a warning. The same
 * policies and key sets give the identical object.
 */
export function authenticationFilters(
  policies: readonly RequestAuthentication[],
  { memo, keySets = noKeySets }: Lowering,
  bag: DiagnosticBag,
): AuthenticationFilters | undefined {
  const rules = policies.flatMap((policy) =>
    (policy.spec.jwtRules ?? []).map((rule, index) => ({ policy, index, rule, keys: keySets.find(rule) })),
  );
  if (rules.length === 0) return undefined;
  return memo.of([policies, ...rules.map(({ keys }) => keys)], 'tokens', bag, (own) => {
    for (const rule of rules) warnOfAbsentKeys(rule, own);
    const providers = sortedBy(rules, ({ rule }) => rule.issuer ?? '').map(providerIr);
    const grouped = groupedByAudiences(providers);
    const origins = { decidedBy: policies.map((policy) => objectOrigin(policy, ['spec'])), overrode: [] };
    const tokens: JwtAuthnIR = {
      kind: 'jwt-authn',
      providers: grouped.map(({ provider, group }) => ({ ...provider, headerKey: group.headerKey })),
      stripFailureResponse: rules.some(({ rule }) => mayComeFromQuery(rule)),
      invalidTokenRule,
      origins,
    };
    const groups = new Set(grouped.map(({ group }) => group));
    return [tokens, refusedTokens([...groups], origins)];
  });
}

/** Claims whose text is a list in OAuth 2.0 (RFC 6749 section 3.3) and its relatives. */
const usualSpaceDelimitedClaims = ['permission', 'scope'] as const;

function providerIr({ policy, index, rule, keys }: PlacedRule, position: number): Omit<JwtProviderIR, 'headerKey'> {
  return {
    name: `origins-${position}`,
    issuer: rule.issuer || undefined,
    audiences: rule.audiences ?? [],
    keySet: keys.text ?? standInKeySet,
    headers: (rule.fromHeaders ?? []).map(({ name, prefix = '' }) => ({ name, prefix })),
    params: rule.fromParams ?? [],
    cookies: rule.fromCookies ?? [],
    forward: rule.forwardOriginalToken ?? false,
    payloadHeader: rule.outputPayloadToHeader,
    claimHeaders: rule.outputClaimToHeaders ?? [],
    spaceDelimitedClaims: [...new Set([...usualSpaceDelimitedClaims, ...(rule.spaceDelimitedClaims ?? [])])],
    origins: { decidedBy: [objectOrigin(policy, ['spec', 'jwtRules', index])], overrode: [] },
  };
}

/** Without a location of its own a rule also takes the query parameter `access_token` (RFC 6750 section 2.3). */
function mayComeFromQuery({ fromHeaders = [], fromParams = [], fromCookies = [] }: JwtRule): boolean {
  return fromParams.length > 0 || (fromHeaders.length === 0 && fromCookies.length === 0);
}

function warnOfAbsentKeys({ policy, index, rule, keys }: PlacedRule, bag: DiagnosticBag): void {
  if (keys.reason === undefined) return;
  const field = rule.issuer === undefined ? 'jwksUri' : 'issuer';
  bag.report('key-set-not-at-hand', policy.document.spanOf(['spec', 'jwtRules', index, field]), {
    issuer: rule.issuer || (rule.jwksUri ?? ''),
    reason: keys.reason,
  });
}
