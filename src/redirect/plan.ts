import type { Family, RedirectConfig } from './config.ts';
import { planDns } from './plan-dns.ts';
import { planInbound, planTproxyMarks } from './plan-inbound.ts';
import { planOutbound } from './plan-outbound.ts';
import { localAddresses, type RedirectRule, type RoutingItem } from './rule.ts';

/** Everything that redirection adds to a network namespace, in the order in which it is made. */
export interface RedirectPlan {
  readonly rules: ReadonlyMap<Family, readonly RedirectRule[]>;
  readonly routing: readonly RoutingItem[];
}

/** The rule lists and routing of a configuration; the same configuration gives the same plan. */
export function planRedirect(config: RedirectConfig): RedirectPlan {
  const lists = config.families.map((family) => [family, rulesOf(config, family)] as const);
  return { rules: new Map(lists), routing: planRouting(config) };
}

/** The routing of a configuration: what TPROXY needs, and the address that the proxy calls its application from. */
export function planRouting(
  config: Pick<RedirectConfig, 'families' | 'mode' | 'tproxyMark' | 'tproxyTable'>,
): RoutingItem[] {
  return config.families.flatMap((family) => routingOf(config, family));
}

function rulesOf(config: RedirectConfig, family: Family): RedirectRule[] {
  return [
    ...planInbound(config, family),
    ...planOutbound(config, family),
    ...planDns(config, family),
    ...planTproxyMarks(config, family),
  ];
}

function routingOf(
  { mode, tproxyMark, tproxyTable }: Pick<RedirectConfig, 'mode' | 'tproxyMark' | 'tproxyTable'>,
  family: Family,
): RoutingItem[] {
  const items: RoutingItem[] = [];
  // All of 127.0.0.0/8 is local; of IPv6 only one address is, so the one that the proxy calls from is added.
  if (family === 'IPv6') items.push({ kind: 'address', family, address: localAddresses.IPv6.delivery });
  if (mode === 'TPROXY') {
    items.push({ kind: 'route', family, table: tproxyTable });
    items.push({ kind: 'rule', family, mark: tproxyMark, table: tproxyTable });
  }
  return items;
}
