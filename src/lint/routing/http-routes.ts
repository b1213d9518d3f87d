import type { JsonPath } from '../../diagnostics/span.ts';
import type { HttpRoute, VirtualService } from '../../policy/virtual-service.ts';

/** One HTTP route of an object, and where it stands. */
export interface HttpRouteAt {
  readonly object: VirtualService;
  readonly route: HttpRoute;
  readonly path: JsonPath;
}

/** The HTTP routes of all objects as written, in their order. */
export function* httpRoutesOf(virtualServices: Iterable<VirtualService>): Iterable<HttpRouteAt> {
  for (const object of virtualServices) {
    for (const [i, route] of (object.spec.http ?? []).entries()) yield { object, route, path: ['spec', 'http', i] };
  }
}
