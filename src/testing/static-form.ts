import type { EnvoyConfig, Resource } from '../compiler/render/resource.ts';

type Json = null | boolean | number | string | Json[] | JsonMessage;
interface JsonMessage {
  [key: string]: Json;
}

/** The parts of a configuration, as files hold them: listeners and clusters are lists of resources. */
export interface ConfigParts {
  readonly bootstrap: unknown;
  readonly listeners: readonly unknown[];
  readonly clusters: readonly unknown[];
  readonly routes: readonly unknown[];
}

/** The parts of a compiled configuration. */
export function partsOf(config: EnvoyConfig): ConfigParts {
  const json = (resource: Resource): unknown => resource.json;
  return {
    bootstrap: config.bootstrap.json,
    listeners: config.listeners.map(json),
    clusters: config.clusters.map(json),
    routes: config.routes.map(json),
  };
}

/**
 * A configuration as one bootstrap, for `envoy --mode validate`, which does not read dynamic files: listeners and
 * clusters inlined, each `rds` replaced by its `route_config`. `relocate` may give the files that TLS contexts name other
 * places: Envoy opens them. The inputs are left as they are.
 */
export function staticForm(parts: ConfigParts, relocate?: (filename: string) => string): JsonMessage {
  const { bootstrap, listeners, clusters, routes } = structuredClone(parts) as {
    bootstrap: JsonMessage;
    listeners: JsonMessage[];
    clusters: JsonMessage[];
    routes: JsonMessage[];
  };
  delete bootstrap.dynamic_resources;
  const byName = new Map(routes.map((route) => [route.name, route]));
  for (const listener of listeners) inlineRoutes(listener, byName);
  const fixed = (bootstrap.static_resources ?? {}) as { listeners?: JsonMessage[]; clusters?: JsonMessage[] };
  bootstrap.static_resources = {
    ...fixed,
    listeners: [...(fixed.listeners ?? []), ...listeners],
    clusters: [...(fixed.clusters ?? []), ...clusters],
  };
  if (relocate !== undefined) relocateFiles(bootstrap, relocate);
  return bootstrap;
}

function relocateFiles(node: Json, relocate: (filename: string) => string): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'filename' && typeof value === 'string') (node as JsonMessage)[key] = relocate(value);
    else relocateFiles(value, relocate);
  }
}

function inlineRoutes(node: Json, routes: ReadonlyMap<Json | undefined, JsonMessage>): void {
  if (Array.isArray(node)) {
    for (const item of node) inlineRoutes(item, routes);
  } else if (typeof node === 'object' && node !== null) {
    const rds = node.rds as { route_config_name: string } | undefined;
    if (rds !== undefined) {
      delete node.rds;
      const route = routes.get(rds.route_config_name);
      if (route === undefined) throw new Error(`no route configuration "${rds.route_config_name}"`);
      node.route_config = structuredClone(route);
    }
    for (const key in node) inlineRoutes(node[key] as Json, routes);
  }
}
