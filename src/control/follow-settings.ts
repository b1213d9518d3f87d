import type { SettingsOptions } from '../config/read.ts';
import type { Settings } from '../config/settings.ts';
import { type Watch, watchPaths } from '../watch/watch.ts';
import { MeshSettings } from './mesh-settings.ts';

export interface SettingsFollower {
  /** Called with valid settings that differ from the previous ones. */
  use(settings: Settings): void;
  /** Called with the errors of the mesh configuration; the last valid one stays active. */
  refused(text: string): void;
}

/** Follows the mesh configuration, from now on. */
export async function followSettings(
  options: SettingsOptions,
  trustDomain: string,
  follower: SettingsFollower,
): Promise<Watch> {
  const settings = new MeshSettings(options, trustDomain);
  const look = async (): Promise<void> => {
    const { isChanged, problem } = await settings.look();
    if (problem !== undefined) follower.refused(problem);
    if (isChanged && settings.current !== undefined) follower.use(settings.current.settings);
  };
  let looking = Promise.resolve();
  const onChange = (): void => {
    looking = looking.then(look);
  };
  const { meshConfig } = options;
  const watch = await watchPaths(meshConfig === undefined ? [] : [meshConfig.path], { onChange });
  await look();
  return watch;
}
