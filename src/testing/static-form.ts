import type { EnvoyConfig, Resource } from '../compiler/render/resource.ts';
import { staticForm } from '../envoy/static-form.ts';

/** A compiled configuration as one bootstrap, for `envoy --mode validate`; the caller's own, to change as it likes. */
export function staticFormOf({ bootstrap, listeners, clusters, routes }: EnvoyConfig): object {
  const json = (resource: Resource): Resource['json'] => resource.json;
  return structuredClone(
    staticForm({
      bootstrap: bootstrap.json,
      listeners: listeners.map(json),
      clusters: clusters.map(json),
      routes: routes.map(json),
    }),
  );
}

/**
 * An inbound listener for a test that binds it to loopback, in place of the redirection: without the chains that close
 * such destinations.
 */
export function withoutHostOnlyChains<T extends { readonly filter_chains: readonly { readonly name: string }[] }>(
  listener: T,
): T {
  return { ...listener, filter_chains: listener.filter_chains.filter(({ name }) => !name.endsWith('-host-only')) };
}
