import type { AgentConfig } from '../../agent/agent-config.ts';
import type { Environment } from '../../config/environment.ts';
import { readNodeVariables } from '../../config/node-variables.ts';
import { readSettings } from '../../config/read.ts';
import { readAgentSettings } from '../../config/read-agent-settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { proxyAddresses } from '../../live/own-addresses.ts';
import { exitCode } from '../exit-codes.ts';
import { printOut } from '../io.ts';
import { locateEnvoy } from './asked-envoy.ts';
import { authorityOf } from './authority.ts';
import { unknownComponents } from './component-levels.ts';
import { countingVariables, discoveryAddressOf, unusedVariables } from './discovery.ts';
import { dnsConfigOf } from './dns-config.ts';
import { type EffectiveSettings, type FlagValue, formatEffective } from './effective-settings.ts';
import { parseCallers, parseLevels } from './log-levels.ts';
import type { LogFlags } from './log-options.ts';
import { policiesOf } from './policy-inputs.ts';
import { refuseUnsupported } from './refuse.ts';
import { checkRole } from './role.ts';
import { type SettingsFlagValues, settingsOptionsOf } from './settings-options.ts';
import { statusSettingsOf } from './status-settings.ts';
import { tokenServiceOf, withTokenExchange } from './token-service.ts';
import { type IdentityFlags, identifyProxy } from './workload.ts';

/** What a start only logs. */
const silent = { warn: () => undefined };

/**
 * `proxy --print-config`: prints the settings that a start would have, on standard output; what is wrong with them on
 * standard error, with 1. Nothing is started, and which workload it is need not be known.
 */
export async function printConfig(
  role: string | undefined,
  options: object,
  flags: readonly FlagValue[],
  environment: Environment,
): Promise<number> {
  const effective = role ?? 'sidecar';
  checkRole(effective);
  refuseUnsupported(environment);
  const bag = new DiagnosticBag();
  const { settings, sources } = await readSettings(settingsOptionsOf(options as SettingsFlagValues, environment), bag);
  const { policies = [] } = options as CheckedFlags;
  const discoveryAddress = discoveryAddressOf(policies, settings, environment);
  const agent = readAgentSettings(countingVariables(environment, discoveryAddress), bag);
  readNodeVariables(environment, bag);
  process.stderr.write(format(bag.all, sources, 'text'));
  if (bag.hasErrors) return exitCode.no;
  if (discoveryAddress !== undefined)
    for (const warning of unusedVariables(environment)) process.stderr.write(`warning: ${warning}\n`);
  checkRest(effective, options as CheckedFlags, { settings, agent }, environment);
  const roleValue = { name: 'role', value: effective, isGiven: role !== undefined };
  const { output } = options as { readonly output?: 'yaml' | 'json' };
  await printOut(formatEffective({ settings, agent, flags: [...flags, roleValue] }, output ?? 'yaml'));
  return exitCode.done;
}

type CheckedFlags = LogFlags &
  IdentityFlags & {
    readonly stsPort: number;
    readonly policies?: readonly string[];
    readonly proxyBinary?: string;
    readonly proxyComponentLogLevel: string;
  };

/**
 * Throws what a start would, as far as settings decide it: which workload it is, and what its policies are, may be left
 * open. What a start warns of is told too.
 */
function checkRest(
  role: AgentConfig['role'],
  flags: CheckedFlags,
  { settings, agent }: Pick<EffectiveSettings, 'settings' | 'agent'>,
  environment: Environment,
): void {
  for (const warning of unknownComponents(flags.proxyComponentLogLevel)) process.stderr.write(`warning: ${warning}\n`);
  policiesOf(flags.policies);
  const envoy = flags.proxyBinary ?? (settings.proxy.binaryPath || undefined);
  if (envoy !== undefined || environment.ENVOY_BINARY) locateEnvoy(envoy, environment);
  parseLevels(flags.log_output_level, '--log_output_level', 'info');
  parseLevels(flags.log_stacktrace_level ?? 'none', '--log_stacktrace_level', 'none');
  parseCallers(flags.log_caller ?? '', '--log_caller');
  const isNamed = flags.id !== '' || (agent.podName !== '' && agent.podNamespace !== '');
  const { ip } = identifyProxy(isNamed ? flags : { ...flags, id: 'any.any' }, environment);
  const identity = { namespace: '', name: '', ip, domain: undefined };
  statusSettingsOf(role, agent, settings, identity);
  dnsConfigOf(agent, settings, identity.domain, silent);
  withTokenExchange(
    authorityOf(agent, settings, { namespace: agent.podNamespace, discoveryAddress: undefined }, silent),
    { agent, settings },
  );
  tokenServiceOf(flags.stsPort, proxyAddresses(ip), { agent, settings });
}
