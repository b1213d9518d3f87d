import type { JsonPath } from '../../diagnostics/span.ts';
import type { JwtRule, RequestAuthentication } from '../../policy/request-authentication.ts';

/** One rule of a policy, and where it stands. */
export interface JwtRuleAt {
  readonly policy: RequestAuthentication;
  readonly rule: JwtRule;
  readonly path: JsonPath;
}

/** The rules of all policies, in their order. */
export function* jwtRulesOf(policies: Iterable<RequestAuthentication>): Iterable<JwtRuleAt> {
  for (const policy of policies) {
    for (const [i, rule] of (policy.spec.jwtRules ?? []).entries()) {
      yield { policy, rule, path: ['spec', 'jwtRules', i] };
    }
  }
}
