import type { JsonPath } from '../../diagnostics/span.ts';
import type { VirtualService, WeightedDestination } from '../../policy/virtual-service.ts';
import type { Rule } from '../rule.ts';

/** Several destinations share the load by weight, and one without a weight gets none. */
export const rule: Rule = {
  code: 'destination-without-weight',
  id: 'MP614',
  severity: 'warning',
  category: 'routing',
  direction: 'none',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a destination without a weight, while other destinations of the route have one',
  why: 'no request goes to that destination',
  hint: 'give it a weight, or remove it',
  check({ snapshot, report }) {
    for (const object of snapshot.policies.virtualServices) {
      for (const { route, path } of routesOf(object)) {
        if (route.every(({ weight = 0 }) => weight === 0)) continue;
        for (const [i, { destination, weight }] of route.entries()) {
          if (route.length < 2 || weight !== undefined) continue;
          const message = `destination "${destination.host}" gets no requests: it has no weight, and others have one`;
          report({ object, path: [...path, i, 'destination', 'host'], message });
        }
      }
    }
  },
};

interface RouteAt {
  readonly route: readonly WeightedDestination[];
  readonly path: JsonPath;
}

function routesOf({ spec }: VirtualService): readonly RouteAt[] {
  return (['http', 'tls', 'tcp'] as const).flatMap((field) =>
    (spec[field] ?? []).map(({ route = [] }, i) => ({ route, path: ['spec', field, i, 'route'] })),
  );
}
