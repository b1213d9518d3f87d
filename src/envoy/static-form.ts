import { Fragment } from './api/fragment.ts';
import type { Json } from './api/resource-file.ts';

/** A proxy's configuration as Envoy receives it: a bootstrap, and lists of resources, with or without `@type`. */
export interface ConfigParts {
  readonly bootstrap: Json;
  readonly listeners: readonly Json[];
  readonly clusters: readonly Json[];
  readonly routes: readonly Json[];
}

/**
 * The whole configuration as one static bootstrap, for `envoy --mode validate`, which does not read dynamic files:
 * listeners and clusters inlined, each `rds` replaced by its route configuration. The inputs are left as they are.
 */
export function staticForm({ bootstrap, listeners, clusters, routes }: ConfigParts): Json {
  const { dynamic_resources: _dynamic, ...rest } = bootstrap;
  const routeOf = new Map(routes.map((route) => [route.name, withoutType(route)]));
  const fixed = new Fragment(rest).at('static_resources');
  const values = (field: string): readonly unknown[] => fixed.at(field).items.map(({ value }) => value);
  const static_resources = {
    ...fixed.message,
    listeners: [...values('listeners'), ...listeners.map((listener) => inlineRoutes(withoutType(listener), routeOf))],
    clusters: [...values('clusters'), ...clusters.map(withoutType)],
  };
  return { ...rest, static_resources };
}

function withoutType({ '@type': _type, ...resource }: Json): Json {
  return resource;
}

function inlineRoutes(value: unknown, routeOf: ReadonlyMap<unknown, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => inlineRoutes(item, routeOf));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]): readonly [string, unknown] => {
    const route = key === 'rds' ? routeOf.get(new Fragment(child).at('route_config_name').value) : undefined;
    return route === undefined ? [key, inlineRoutes(child, routeOf)] : ['route_config', route];
  });
  return Object.fromEntries(entries);
}
