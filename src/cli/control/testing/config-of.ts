import { readSettings } from '../../../config/read.ts';
import type { ControlConfig } from '../../../control/control-config.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { controlConfigOf } from '../config.ts';
import type { ServeFlags } from '../flags.ts';

/** What `meshd serve` would run with, by these variables and, where flags are given, these in place of the usual ones. */
export async function configOf(
  environment: Readonly<Record<string, string>>,
  flags: Partial<ServeFlags> = {},
): Promise<ControlConfig> {
  const { settings } = await readSettings({ environment }, new DiagnosticBag());
  const usual = { monitoringAddr: { host: '', port: 15014 }, csrRate: 50, csrBurst: 1000 };
  return controlConfigOf({ ...usual, caKeyAlgorithm: 'ECDSA', ...flags }, settings, environment);
}
