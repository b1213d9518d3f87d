import type { Environment } from '../../config/environment.ts';
import type { SettingsOptions } from '../../config/read.ts';
import type { ServeFlags } from './flags.ts';

const defaultMeshConfig = './etc/mesh/config/mesh';

/** Where settings come from; a mesh configuration at the default place may be absent. */
export function settingsOptionsOf(flags: ServeFlags, environment: Environment): SettingsOptions {
  const meshConfig = { path: flags.meshConfig ?? defaultMeshConfig, isRequired: flags.meshConfig !== undefined };
  return { meshConfig, environment: { ...environment }, flags: { trustDomain: flags.trustDomain } };
}
