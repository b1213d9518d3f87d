import type { JsonPath } from '../../diagnostics/span.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import { rulesOf } from '../authorization/walk.ts';

/** A field that only a verified token can fulfil. */
export interface TokenField {
  readonly name: string;
  readonly path: JsonPath;
  /** It asks for the absence of a token, or of some of its claims. */
  readonly isNegated: boolean;
}

/** The fields of a policy that read tokens, in their order. */
export function* tokenFields(policy: AuthorizationPolicy): Iterable<TokenField> {
  for (const { rule, path } of rulesOf([policy])) {
    for (const [i, { source }] of (rule.from ?? []).entries()) {
      const place = [...path, 'from', i, 'source'];
      for (const name of ['requestPrincipals', 'notRequestPrincipals'] as const) {
        if (source[name] !== undefined)
          yield { name, path: [...place, name], isNegated: name === 'notRequestPrincipals' };
      }
    }
    for (const [i, { key, values }] of (rule.when ?? []).entries()) {
      if (!key.startsWith('request.auth.')) continue;
      yield { name: key, path: [...path, 'when', i, 'key'], isNegated: values === undefined };
    }
  }
}

/** Whether a policy reads tokens at all; an external authorizer may do so unseen. */
export function readsTokens(policy: AuthorizationPolicy): boolean {
  return policy.spec.action === 'CUSTOM' || !tokenFields(policy)[Symbol.iterator]().next().done;
}
