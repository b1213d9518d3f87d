import type { Environment } from '../../config/environment.ts';
import type { Settings } from '../../config/settings.ts';
import { parseBoolean, parseDurationVariable } from '../../config/variable.ts';
import type { ControlConfig } from '../../control/control-config.ts';
import { otlpSettingsOf } from '../../control/trace/otlp-settings.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { version } from '../../lib/version.ts';
import type { ServeFlags } from './flags.ts';
import { meshSourceOf } from './mesh-source.ts';
import { settingsOptionsOf } from './settings-options.ts';
import { parsePositive, variable } from './variable-values.ts';

const defaultStateFolder = './var/lib/mesh/state';

/** What serves configuration to proxies; undefined: nothing does. `UsageError` where nothing shows who a proxy is. */
export async function distributionOf(
  flags: ServeFlags,
  { trustDomain, jwksAllowedHosts, configSources }: Settings,
  environment: Environment,
  isServed: boolean,
): Promise<ControlConfig['distribution']> {
  const source = await meshSourceOf(flags, environment, configSources);
  if (source === undefined) {
    const unused = (['anyProxyAddress', 'stateFolder', 'debugSocket', 'debugAddr'] as const).find(
      (name) => flags[name] !== undefined,
    );
    if (unused !== undefined)
      throw new UsageError(`--${unused} has an effect with --config, --git or --kubernetes alone`);
    return undefined;
  }
  if (!isServed)
    throw new UsageError(
      '--config, --git and --kubernetes need the TLS listener and the CA, which show who a proxy is',
    );
  return {
    compile: {
      source,
      settings: settingsOptionsOf(flags, environment),
      trustDomain,
      stateFolder: flags.stateFolder ?? defaultStateFolder,
      debounce: {
        afterMs: variable(environment, 'PILOT_DEBOUNCE_AFTER', parseDurationVariable),
        maxMs: variable(environment, 'PILOT_DEBOUNCE_MAX', parseDurationVariable),
      },
      gathersEndpoints: variable(environment, 'PILOT_ENABLE_EDS_DEBOUNCE', parseBoolean),
      readsGatewayApi: variable(environment, 'PILOT_ENABLED_SERVICE_APIS', parseBoolean),
      leavesOutInvalid: variable(environment, 'PILOT_ENABLE_CRD_VALIDATION', parseBoolean),
    },
    trackedMs: variable(environment, 'PILOT_ENABLE_CONFIG_DISTRIBUTION_TRACKING', parseBoolean)
      ? variable(environment, 'PILOT_DISTRIBUTION_HISTORY_RETENTION', parseDurationVariable)
      : undefined,
    keepsAcknowledged: variable(environment, 'PILOT_DEBUG_ADSZ_CONFIG', parseBoolean),
    traces: otlpSettingsOf(environment, version),
    throttle: variable(environment, 'PILOT_PUSH_THROTTLE', parsePositive),
    takesAnyAddress: flags.anyProxyAddress === true,
    jwksAllowedHosts,
  };
}
