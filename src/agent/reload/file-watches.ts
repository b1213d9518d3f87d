import { dirname } from 'node:path';
import type { Json } from './proxy-files.ts';

/**
 * The bootstrap, with Envoy told to watch its files of listeners and clusters by name. By the folder
 * (`watched_directory`), which links that are swapped need, it reads both again at each rename of any file: with a
 * thousand services its main thread then stands still for a second a rename. The agent replaces files by name only.
 */
export function withFilesWatchedByName(bootstrap: string): string {
  const parsed = JSON.parse(bootstrap) as Json & { readonly dynamic_resources?: Readonly<Record<string, Json>> };
  const { dynamic_resources: sources } = parsed;
  if (sources === undefined) return bootstrap;
  const watched = Object.entries(sources).map(([name, source]) => [name, watchedByName(source)]);
  return `${JSON.stringify({ ...parsed, dynamic_resources: Object.fromEntries(watched) }, null, 2)}\n`;
}

function watchedByName(source: Json): Json {
  const file = source.path_config_source as
    | { readonly path?: string; readonly watched_directory?: { readonly path?: string } }
    | undefined;
  // Another folder than the file's own was chosen by somebody, for a reason.
  if (file?.watched_directory?.path !== dirname(file?.path ?? '')) return source;
  const { watched_directory: _watched, ...rest } = file;
  return { ...source, path_config_source: rest };
}
