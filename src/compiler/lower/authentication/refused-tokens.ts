import type { Origins } from '../../ir/origin.ts';
import type { PrincipalIR, RbacIR, TokenPartIR } from '../../ir/rbac.ts';
import { allOf, notOf, someOf } from '../authorization/combine.ts';
import type { AudienceGroup } from './audiences.ts';

/** The rules have the form of names of ours, in a namespace that nobody has. */
const audienceRule = 'ns[]-policy[audience-of-token]-rule[0]';

/** Name of the rule about tokens that are not valid, as Envoy tells it; the other is about audiences. */
export const invalidTokenRule = 'ns[]-policy[invalid-token]-rule[0]';

/**
 * Refuses tokens that Envoy's own filter verifies and should not: it looks neither at `crit` (RFC 7515 section 4.1.11) nor
 * at `b64` (RFC 7797 section 7), takes an `exp` that is 0 without its fraction for none, and compares audiences without
 * `http://` or `https://` and without one final slash (RFC 7519 section 4.1.3 compares them as they are). It stands right
 * behind that filter and reads what it left; of a request without a token it leaves nothing.
 */
export function refusedTokens(groups: readonly AudienceGroup[], origins: Origins): RbacIR {
  const rules: { name: string; principal: PrincipalIR }[] = [];
  const bound = groups.filter(({ audiences }) => audiences.length > 0);
  if (bound.length > 0) rules.push({ name: audienceRule, principal: someOf(bound.map(forOthers)) });
  rules.push({ name: invalidTokenRule, principal: someOf(invalid(groups)) });
  return {
    kind: 'rbac',
    action: 'DENY',
    policies: rules.map((rule) => ({ ...rule, permission: { kind: 'any' }, origins })),
    shadow: undefined,
    origins,
  };
}

/** Verified by a rule of the group, and for none of its audiences. */
function forOthers({ headerKey, audiences }: AudienceGroup): PrincipalIR {
  const own = audiences.map((value): PrincipalIR => {
    return { kind: 'claim', path: ['aud'], match: { kind: 'exact', value }, inList: true };
  });
  return allOf<PrincipalIR>([part([headerKey], 'present'), notOf(someOf(own))]);
}

function invalid(groups: readonly AudienceGroup[]): readonly TokenPartIR[] {
  const parameters = ['crit', 'b64'].flatMap((name) =>
    groups.map(({ headerKey }) => part([headerKey, name], 'present')),
  );
  // Negative ones are refused by Envoy itself.
  return [...parameters, part(['payload', 'exp'], { kind: 'range', from: -1, below: 1 })];
}

function part(path: readonly string[], match: TokenPartIR['match']): TokenPartIR {
  return { kind: 'token-part', path, match };
}
