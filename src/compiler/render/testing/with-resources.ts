import { configOf } from '../proxy-config.ts';
import type { EnvoyConfig, ResourceSet } from '../resource.ts';

type Lists = Pick<EnvoyConfig, 'bootstrap' | 'listeners' | 'clusters' | 'routes'>;

const nothing: ResourceSet = { listeners: [], clusters: [], routes: [] };

/** Of a configuration in the form of files. */
export const inFiles = { delivery: 'files', ownEndpoints: [], sharedEndpoints: [] } as const;

/** The configuration with these in place of its own, nothing of it shared. */
export function withResources(
  { namespace, workload, bootstrap, listeners, clusters, routes }: Lists & Pick<EnvoyConfig, 'namespace' | 'workload'>,
  changed: Partial<Lists> = {},
): EnvoyConfig {
  const { bootstrap: own, ...lists } = { bootstrap, listeners, clusters, routes, ...changed };
  return configOf({
    namespace,
    workload,
    bootstrap: () => own,
    own: lists,
    shared: nothing,
    leftOut: new Set(),
    ...inFiles,
  });
}
