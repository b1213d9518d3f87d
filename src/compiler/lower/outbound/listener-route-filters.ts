import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { FilterChainIR, ListenerIR } from '../../ir/listener.ts';
import type { RouteConfigurationIR } from '../../ir/route.ts';
import type { RouteFilterIR } from '../../ir/route-features.ts';
import type { Lowering } from '../lowering.ts';
import { routeFilters } from '../routes/route-filters.ts';

/** Listeners whose route tables have features that need filters, with those; the others as they are, and the list where all are. */
export function withRouteFilters(
  listeners: readonly ListenerIR[],
  tables: readonly RouteConfigurationIR[],
  { memo }: Lowering,
  bag: DiagnosticBag,
): readonly ListenerIR[] {
  const wanted = new Map(tables.map((table) => [table.name, routeFilters(table)]));
  const filtersOf = ({ filter }: FilterChainIR): readonly RouteFilterIR[] =>
    (filter.kind === 'http' ? wanted.get(filter.routeConfig) : undefined) ?? [];
  const changed = listeners.map((listener) => {
    const all = listener.filterChains.map(filtersOf);
    if (all.every((filters) => filters.length === 0)) return listener;
    return memo.of([listener], `route filters ${all.join(';')}`, bag, () => ({
      ...listener,
      filterChains: listener.filterChains.map((chain, i) => withFilters(chain, all[i] ?? [])),
    }));
  });
  return changed.every((listener, i) => listener === listeners[i]) ? listeners : changed;
}

function withFilters(chain: FilterChainIR, filters: readonly RouteFilterIR[]): FilterChainIR {
  if (chain.filter.kind !== 'http' || filters.length === 0) return chain;
  return { ...chain, filter: { ...chain.filter, routeFilters: filters } };
}
