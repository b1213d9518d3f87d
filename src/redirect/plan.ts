import type { Family, RedirectConfig } from './config.ts';
import type { RedirectRule, RoutingItem } from './rule.ts';

/** Everything that redirection adds to a network namespace, in the order in which it is made. */
export interface RedirectPlan {
  readonly rules: ReadonlyMap<Family, readonly RedirectRule[]>;
  readonly routing: readonly RoutingItem[];
}

/** The rule lists and routing of a configuration; the same configuration gives the same plan. */
export function planRedirect(config: RedirectConfig): RedirectPlan {
  throw new Error(`not written: ${config.mode}`);
}
