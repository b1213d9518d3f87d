import type { Environment } from '../../config/environment.ts';
import { readSettings } from '../../config/read.ts';
import { readAgentSettings } from '../../config/read-agent-settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { exitCode } from '../exit-codes.ts';
import { type FlagValue, formatEffective } from './effective-settings.ts';
import { refuseUnsupported } from './refuse.ts';
import { checkRole } from './role.ts';
import { type SettingsFlagValues, settingsOptionsOf } from './settings-options.ts';

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
  refuseUnsupported(options as Readonly<Record<string, unknown>>, environment);
  const bag = new DiagnosticBag();
  const agent = readAgentSettings(environment, bag);
  const { settings, sources } = await readSettings(settingsOptionsOf(options as SettingsFlagValues, environment), bag);
  process.stderr.write(format(bag.all, sources, 'text'));
  if (bag.hasErrors) return exitCode.no;
  const roleValue = { name: 'role', value: effective, isGiven: role !== undefined };
  const { output } = options as { readonly output?: 'yaml' | 'json' };
  process.stdout.write(formatEffective({ settings, agent, flags: [...flags, roleValue] }, output ?? 'yaml'));
  return exitCode.done;
}
