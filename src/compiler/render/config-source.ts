import { formatDuration } from '../../lib/duration.ts';
import type { BootstrapIR } from '../ir/proxy.ts';
import type { Delivery } from './resource.ts';

/** Where a proxy's resources come from: the control plane, or files of a folder; listeners name the files of their routes. */
export interface Placement extends Pick<BootstrapIR, 'configPath' | 'initialFetchTimeoutMs'> {
  readonly delivery: Delivery;
}

/** What the partial `file-source` places. */
export type SourceView = FileSourceView | AdsSourceView;

/** A file that Envoy watches; `directory` catches renames and symlink swaps. */
export interface FileSourceView {
  readonly path: string;
  readonly directory: string;
  readonly initialFetchTimeout: string;
}

/** The stream to the control plane that the bootstrap names. */
export interface AdsSourceView {
  readonly ads: object;
  readonly initialFetchTimeout: string;
}

/** Of all listeners or clusters; `file` in the configuration folder. */
export function listSource(placement: Placement, file: 'listeners.json' | 'clusters.json'): SourceView {
  return placement.delivery === 'ads' ? adsSource(placement) : fileIn(placement, placement.configPath, file);
}

/** Of one route configuration, a file of its own: a route that changes must not drain its listener. */
export function routesSource(placement: Placement, name: string): SourceView {
  if (placement.delivery === 'ads') return adsSource(placement);
  return fileIn(placement, `${placement.configPath}/routes`, routeFileName(name));
}

export function adsSource({ initialFetchTimeoutMs }: Pick<Placement, 'initialFetchTimeoutMs'>): AdsSourceView {
  return { ads: {}, initialFetchTimeout: formatDuration(initialFetchTimeoutMs) };
}

/** File name of a route configuration, in the folder `routes`. */
export function routeFileName(name: string): string {
  return `${encodeURIComponent(name)}.json`;
}

function fileIn({ initialFetchTimeoutMs }: Placement, directory: string, file: string): FileSourceView {
  return { path: `${directory}/${file}`, directory, initialFetchTimeout: formatDuration(initialFetchTimeoutMs) };
}
