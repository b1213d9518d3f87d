import { type Json, nameOf, type ProxyFiles, parseResourceFile } from './proxy-files.ts';

/**
 * The whole configuration as one static bootstrap, for `envoy --mode validate`, which does not read dynamic files:
 * listeners and clusters inlined, each `rds` replaced by its route configuration.
 */
export function staticForm(files: ProxyFiles): object {
  const { dynamic_resources: _dynamic, ...bootstrap } = JSON.parse(files.bootstrap) as Json;
  const routes = new Map<string, Json>();
  for (const text of files.routes.values()) {
    for (const route of parseResourceFile(text).resources) routes.set(nameOf(route), withoutType(route));
  }
  const fixed = (bootstrap.static_resources ?? {}) as Readonly<Record<string, readonly Json[] | undefined>>;
  const listeners = parseResourceFile(files.listeners).resources.map(withoutType);
  const clusters = parseResourceFile(files.clusters).resources.map(withoutType);
  const static_resources = {
    ...fixed,
    listeners: [...(fixed.listeners ?? []), ...listeners.map((listener) => inlineRoutes(listener, routes))],
    clusters: [...(fixed.clusters ?? []), ...clusters],
  };
  return { ...bootstrap, static_resources };
}

function withoutType({ '@type': _type, ...resource }: Json): Json {
  return resource;
}

function inlineRoutes(value: unknown, routes: ReadonlyMap<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => inlineRoutes(item, routes));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]): readonly [string, unknown] => {
    const name = key === 'rds' ? (child as { readonly route_config_name?: string }).route_config_name : undefined;
    const route = name === undefined ? undefined : routes.get(name);
    return route === undefined ? [key, inlineRoutes(child, routes)] : ['route_config', route];
  });
  return Object.fromEntries(entries);
}
