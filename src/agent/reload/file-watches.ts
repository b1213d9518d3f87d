import { dirname } from 'node:path';
import { Fragment } from '../../envoy/api/fragment.ts';
import type { Json } from '../../envoy/api/resource-file.ts';

/**
 * The bootstrap, with Envoy told to watch its files of listeners and clusters by name. By the folder
 * (`watched_directory`), which links that are swapped need, it reads both again at each rename of any file: with a
 * thousand services its main thread then stands still for a second a rename. The agent replaces files by name only.
 */
export function withFilesWatchedByName(bootstrap: Json): Json {
  const sources = new Fragment(bootstrap).at('dynamic_resources');
  if (!sources.exists) return bootstrap;
  const watched = sources.fields.map((name) => [name, watchedByName(sources.at(name))]);
  return { ...bootstrap, dynamic_resources: Object.fromEntries(watched) };
}

/** An `envoy.config.core.v3.ConfigSource` without the folder of its file. */
function watchedByName(source: Fragment): unknown {
  const file = source.at('path_config_source');
  // Another folder than the file's own was chosen by somebody, for a reason.
  if (file.at('watched_directory', 'path').text !== dirname(file.at('path').text ?? '')) return source.value;
  const { watched_directory: _watched, ...rest } = file.message;
  return { ...source.message, path_config_source: rest };
}
