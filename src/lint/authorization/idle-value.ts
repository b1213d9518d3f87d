import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';

type Action = NonNullable<AuthorizationPolicy['spec']['action']>;

/** What a value was to do that nothing has: among the values asked for, and among the exceptions. */
const effects: Readonly<Record<Action, { readonly asked: string; readonly excepted: string }>> = {
  ALLOW: {
    asked: 'this ALLOW rule allows nothing by it',
    excepted: 'this ALLOW rule allows what it was to leave out',
  },
  DENY: {
    asked: 'this DENY rule refuses nothing by it',
    excepted: 'this DENY rule refuses what it was to spare',
  },
  CUSTOM: {
    asked: 'the external authorizer is asked about nothing by it',
    excepted: 'the external authorizer is asked about what the rule was to spare',
  },
  AUDIT: {
    asked: 'nothing is recorded by it',
    excepted: 'what the rule was to spare is recorded',
  },
};

/** Why a value matters that nothing has, as `reason` says: what follows differs by the action, and is the opposite among exceptions. */
export function whyIdle(
  { spec: { action = 'ALLOW' } }: AuthorizationPolicy,
  isNegated: boolean,
  reason: string,
): string {
  const { asked, excepted } = effects[action];
  return isNegated ? `${reason}, so it excepts nothing: ${excepted}` : `${reason}: ${asked}`;
}
