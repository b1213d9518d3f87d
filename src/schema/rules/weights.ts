import type { JsonPath } from '../../diagnostics/span.ts';
import type { WeightedDestination } from '../../policy/virtual-service.ts';
import type { Report } from '../rule.ts';

/** Envoy adds weights up in 32 bits. */
const mostWeight = 4_294_967_295;

/** Several destinations share the load by weight: one of them must get some. A single one needs no weight. */
export function checkTotalWeight(route: readonly WeightedDestination[], path: JsonPath, report: Report): void {
  if (route.length < 2) return;
  const total = route.reduce((sum, { weight = 0 }) => sum + weight, 0);
  if (total === 0) report('weight-total-zero', path, {}, { part: 'key' });
  if (total > mostWeight) {
    const holes = { field: 'route', value: `a total weight of ${total}`, expected: `at most ${mostWeight}` };
    report('value-out-of-range', path, holes, { part: 'key' });
  }
}
