import { formatDuration } from '../../lib/duration.ts';
import type { BootstrapIR } from '../ir/proxy.ts';

/** Where a proxy's files stand; listeners name the files of their routes. */
export type Placement = Pick<BootstrapIR, 'configPath' | 'initialFetchTimeoutMs'>;

/** A file that Envoy watches; `directory` catches renames and symlink swaps. */
export interface FileSourceView {
  readonly path: string;
  readonly directory: string;
  readonly initialFetchTimeout: string;
}

/** `listeners.json` or `clusters.json` in the configuration folder. */
export function fileSource(placement: Placement, file: string): FileSourceView {
  return {
    path: `${placement.configPath}/${file}`,
    directory: placement.configPath,
    initialFetchTimeout: formatDuration(placement.initialFetchTimeoutMs),
  };
}

/** File name of a route configuration, in the folder `routes`. */
export function routeFileName(name: string): string {
  return `${encodeURIComponent(name)}.json`;
}

/** The file of one route configuration: a route that changes must not drain its listener. */
export function routesSource(placement: Placement, name: string): FileSourceView {
  return {
    path: `${placement.configPath}/routes/${routeFileName(name)}`,
    directory: `${placement.configPath}/routes`,
    initialFetchTimeout: formatDuration(placement.initialFetchTimeoutMs),
  };
}
