import type { Settings } from '../config/settings.ts';
import { UsageError } from '../lib/usage-error.ts';

/** Folders of `configSources`; a control plane is refused by name. */
export function folderSources({ configSources }: Settings): readonly string[] {
  return configSources.map((address) => {
    if (address.startsWith('fs://')) return address.slice('fs://'.length);
    throw new UsageError(
      `configSources "${address}" is for meshd; the agent takes fs:///path, or a control plane as discoveryAddress`,
    );
  });
}
