import type { SettingsOptions } from '../config/read.ts';
import type { Settings } from '../config/settings.ts';
import { type Watch, watchPaths } from '../watch/watch.ts';
import { MeshSettings } from './mesh-settings.ts';

export interface SettingsFollower {
  /** Settings that differ from those before, and are good. */
  use(settings: Settings): void;
  /** What is wrong with the mesh configuration; the last good one stays in force. */
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
