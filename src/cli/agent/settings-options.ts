import type { Environment } from '../../config/environment.ts';
import type { SettingsOptions } from '../../config/read.ts';

/** The flags of `proxy` that become settings. */
export interface SettingsFlagValues {
  readonly concurrency: number;
  readonly configPath?: string;
  readonly meshConfig?: string;
  readonly outlierLogPath?: string;
  readonly serviceCluster?: string;
  readonly trustDomain?: string;
  readonly rootNamespace?: string;
  readonly stsPort?: number;
}

/** Where the mesh configuration is when nobody names it; it may be absent there. */
export const defaultMeshConfig = './etc/mesh/config/mesh';
/** Where the kubelet writes labels and annotations of the pod. */
export const podInfo = './etc/mesh/pod';

/** Where the settings of a proxy come from; a flag that was not given overrides nothing. */
export function settingsOptionsOf(flags: SettingsFlagValues, environment: Environment): SettingsOptions {
  return {
    meshConfig: { path: flags.meshConfig ?? defaultMeshConfig, isRequired: flags.meshConfig !== undefined },
    environment,
    podInfo,
    flags: {
      trustDomain: flags.trustDomain,
      rootNamespace: flags.rootNamespace,
      // 0 says nothing: the configuration's own value, or Envoy's, counts.
      concurrency: flags.concurrency === 0 ? undefined : flags.concurrency,
      serviceCluster: flags.serviceCluster,
      outlierLogPath: flags.outlierLogPath,
      configPath: flags.configPath,
      stsPort: flags.stsPort,
    },
  };
}
