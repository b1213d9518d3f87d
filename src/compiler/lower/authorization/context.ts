import { type AuthorizationAction, takesAccess } from '../../../policy/authorization-policy.ts';
import type { ChainPorts } from './chain-ports.ts';
import type { Sense } from './pattern.ts';

/** What the lowering of one rule depends on beside the rule. */
export interface RuleContext {
  readonly action: AuthorizationAction;
  /** What the chain carries: on `tcp` there are no HTTP attributes. */
  readonly carries: 'http' | 'tcp';
  /** Rules are left out of chains that nothing they are about reaches. */
  readonly ports: ChainPorts;
  readonly policyNamespace: string;
  /** A gateway's: Envoy has taken the port off the authority before rules are looked at (`strip_any_host_port`). */
  readonly isGateway?: boolean;
  /** The mesh's own first, then its aliases. */
  readonly trustDomains: readonly string[];
}

/** The sense of a field's match in a rule of this action. */
export function senseOf({ action }: RuleContext, isNegated: boolean): Sense {
  return takesAccess(action, isNegated) ? 'takes' : 'gives';
}
