import type { JsonPath } from '../../diagnostics/span.ts';
import type { Destination, VirtualService } from '../../policy/virtual-service.ts';

/** A destination of a route, and where it stands in its object. */
export interface DestinationAt {
  readonly destination: Destination;
  readonly path: JsonPath;
}

/** Every destination of a VirtualService, mirrors after those of all routes. */
export function destinationsOf({ spec }: VirtualService): readonly DestinationAt[] {
  const routed = (['http', 'tls', 'tcp'] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap(({ route = [] }, i) =>
      route.map(({ destination }, j) => ({ destination, path: ['spec', field, i, 'route', j, 'destination'] })),
    ),
  );
  const mirrored = (spec.http ?? []).flatMap(({ mirror, mirrors = [] }, i) => [
    ...(mirror === undefined ? [] : [{ destination: mirror, path: ['spec', 'http', i, 'mirror'] }]),
    ...mirrors.map(({ destination }, j) => ({ destination, path: ['spec', 'http', i, 'mirrors', j, 'destination'] })),
  ]);
  return [...routed, ...mirrored];
}
