import type { AuthorizationAction } from '../../policy/authorization-policy.ts';
import type { Sense } from './pattern.ts';

/** What the lowering of one rule depends on beside the rule. */
export interface RuleContext {
  readonly action: AuthorizationAction;
  /** What the chain carries: on `tcp` there are no HTTP attributes. */
  readonly carries: 'http' | 'tcp';
  readonly policyNamespace: string;
  /** The mesh's own first, then its aliases. */
  readonly trustDomains: readonly string[];
}

/** `not…` fields turn the sense of their match around. AUDIT is as strict as DENY: who evades it leaves no trace. */
export function senseOf({ action }: RuleContext, isNegated: boolean): Sense {
  return (action === 'ALLOW') === isNegated ? 'takes' : 'gives';
}
