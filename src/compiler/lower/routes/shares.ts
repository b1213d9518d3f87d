import type { JsonPath } from '../../../diagnostics/span.ts';
import type { Destination, Headers, WeightedDestination } from '../../../policy/virtual-service.ts';
import type { FoundDestination } from './destinations.ts';

/** One destination that gets some of the load. */
export interface Share {
  readonly found: FoundDestination;
  readonly weight: number;
  readonly headers: Headers | undefined;
}

/** Who shares the load: of several destinations those with a weight; a single one gets all, whatever its weight. */
export function sharesOf(
  route: readonly WeightedDestination[],
  find: (destination: Destination, ...path: JsonPath) => FoundDestination,
): readonly Share[] {
  return route.flatMap(({ destination, weight = 0, headers }, i) => {
    if (route.length > 1 && weight === 0) return [];
    return [{ found: find(destination, 'route', i, 'destination'), weight: weight || 100, headers }];
  });
}
