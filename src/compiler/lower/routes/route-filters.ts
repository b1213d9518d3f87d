import type { RouteConfigurationIR } from '../../ir/route.ts';
import type { RouteFilterIR } from '../../ir/route-features.ts';

/** The HTTP filters that the listener of a route table needs for features of its routes, in order of execution. */
export function routeFilters({ virtualHosts }: RouteConfigurationIR): readonly RouteFilterIR[] {
  const routes = virtualHosts.flatMap((host) => host.routes);
  return (['cors', 'fault'] as const).filter((feature) => routes.some((route) => route[feature] !== undefined));
}
