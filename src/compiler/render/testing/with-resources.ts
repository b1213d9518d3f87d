import { type ConfigParts, ProxyConfig } from '../proxy-config.ts';
import type { EnvoyConfig, ResourceSet } from '../resource.ts';

type Lists = Pick<EnvoyConfig, 'bootstrap' | 'listeners' | 'clusters' | 'routes'>;

const nothing: ResourceSet = { listeners: [], clusters: [], routes: [] };

/** The configuration with these in place of its own, nothing of it shared. */
export function withResources(
  { namespace, workload, bootstrap, listeners, clusters, routes }: Lists & Pick<EnvoyConfig, 'namespace' | 'workload'>,
  changed: Partial<Lists> = {},
): EnvoyConfig {
  const { bootstrap: own, ...lists } = { bootstrap, listeners, clusters, routes, ...changed };
  return inFiles({ namespace, workload, bootstrap: () => own, own: lists, shared: nothing, leftOut: new Set() });
}

/** A configuration in the form of files. */
export function inFiles(parts: Omit<ConfigParts, 'delivery'>): EnvoyConfig {
  return new ProxyConfig({ ...parts, delivery: 'files' }, [], []);
}
