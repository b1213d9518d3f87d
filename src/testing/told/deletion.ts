import type { AccessFilter } from '../../access/lift/rbac.ts';
import { describe } from '../../access/reason/condition-words.ts';
import { demandsOf } from '../../access/reason/near-miss.ts';
import { compileGauged, type GaugedMesh } from '../gauged-mesh.ts';
import type { Claim } from './claims.ts';
import { withoutParts, withoutRule } from './without.ts';

/**
 * The workload of a claim at this address, without the rule that decided, or without the condition that does not hold;
 * undefined where no part of its policies is this condition.
 */
export async function withoutIt(
  { mesh, kind, rule, id, wants }: Claim,
  address: string,
): Promise<GaugedMesh | undefined> {
  const { policies, settings, role } = mesh;
  if (kind === 'met') return compileGauged(address, withoutRule(policies, rule), settings, role);
  const was = conditionsOf(mesh, id);
  for (const texts of withoutParts(policies, rule)) {
    let best: { readonly variant: GaugedMesh; readonly left: number } | undefined;
    for (const text of texts) {
      const variant = await compileGauged(address, text, settings, role);
      const left = leftWithout(was, conditionsOf(variant, id), wants);
      if (left > (best?.left ?? -1)) best = { variant, left };
    }
    if (best !== undefined) return best.variant;
  }
  return undefined;
}

/** The conditions of a rule in each filter in which it stands, by chain and filter, and by whether peer and client are one. */
function conditionsOf({ proxy }: GaugedMesh, id: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { chains } of proxy.listeners.values()) {
    for (const { name, filters } of chains) {
      const accesses = filters.flatMap((filter): readonly (readonly [what: string, access: AccessFilter])[] => {
        if (filter.kind === 'rbac') return [['connections', filter.access]];
        if (filter.kind !== 'http') return [];
        return filter.manager.filters.flatMap((one) =>
          one.kind === 'rbac' ? [['requests', one.access] as const] : [],
        );
      });
      for (const [what, { rules }] of accesses) {
        const own = rules?.rules.find((rule) => rule.name === id);
        if (own === undefined) continue;
        for (const isOneAddress of [false, true]) {
          found.set(`${name} ${what} ${isOneAddress}`, demandsOf(own, isOneAddress).map(describe));
        }
      }
    }
  }
  return found;
}

/** How many conditions are left where one is gone and no other has come; else -1. */
function leftWithout(was: ReturnType<typeof conditionsOf>, is: ReturnType<typeof conditionsOf>, wants: string): number {
  const lefts = [...was].map(([place, all]) => {
    const left = is.get(place);
    const isLess =
      left !== undefined && all.includes(wants) && !left.includes(wants) && left.every((one) => all.includes(one));
    return isLess ? left.length : -1;
  });
  return Math.max(-1, ...lefts);
}
