import type { EnvoyConfig, Resource } from '../../compiler/render/resource.ts';

/**
 * The route tables that a proxy asks for: those that its listeners name. Listeners of its scope that a proxy does without may
 * leave tables of the scope that none of its own names; an agent never has them, and its digest would never be equal to ours.
 */
export class NamedRoutes {
  readonly #tables = new WeakMap<Resource, ReadonlySet<string>>();
  readonly #found = new WeakMap<EnvoyConfig, { readonly routes: readonly Resource[] | undefined }>();

  /** Undefined: its listeners name all of them. */
  of(config: EnvoyConfig): readonly Resource[] | undefined {
    let found = this.#found.get(config);
    if (found === undefined) {
      found = { routes: this.#find(config) };
      this.#found.set(config, found);
    }
    return found.routes;
  }

  #find({ shared, listeners, routes }: EnvoyConfig): readonly Resource[] | undefined {
    const kept = new Set(listeners);
    const unnamed = new Set(
      shared.listeners.filter((listener) => !kept.has(listener)).flatMap((listener) => [...this.#tablesOf(listener)]),
    );
    for (const listener of unnamed.size === 0 ? [] : listeners)
      for (const name of this.#tablesOf(listener)) unnamed.delete(name);
    return unnamed.size === 0 ? undefined : routes.filter(({ name }) => !unnamed.has(name));
  }

  #tablesOf(listener: Resource): ReadonlySet<string> {
    let tables = this.#tables.get(listener);
    if (tables === undefined) {
      tables = new Set(tablesIn(listener.json));
      this.#tables.set(listener, tables);
    }
    return tables;
  }
}

/** The field of that name in a connection manager (`envoy.extensions.filters.network.http_connection_manager.v3.Rds`). */
function tablesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'route_config_name' && typeof inner === 'string' ? [inner] : tablesIn(inner),
  );
}
