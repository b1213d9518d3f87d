import { readSettings } from '../../config/read.ts';
import { serveControl } from '../../control/serve.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { aborted } from '../../lib/abort.ts';
import { type LogFlags, logOf } from '../agent/log-options.ts';
import type { ProgramContext } from '../agent/program-context.ts';
import { exitCode } from '../exit-codes.ts';
import { controlConfigOf } from './config.ts';
import type { ServeFlags } from './flags.ts';
import { settingsOptionsOf } from './settings-options.ts';

/** Runs `meshd serve` until a signal asks it to stop; a second one skips the wait for requests in progress. */
export async function runServe(options: object, { environment, signals, warnings }: ProgramContext): Promise<number> {
  const flags = options as ServeFlags & LogFlags;
  const log = logOf(flags, warnings);
  const bag = new DiagnosticBag();
  const { settings, sources } = await readSettings(settingsOptionsOf(flags, environment), bag);
  if (bag.hasErrors) {
    log.error(`the mesh configuration is invalid:\n${format(bag.all, sources, 'text').trimEnd()}`);
    return exitCode.no;
  }
  const config = await controlConfigOf(flags, settings, environment);
  const control = await serveControl(config, { log, stop: signals.stop }).catch((error: unknown) => {
    if (signals.stop.aborted) return undefined;
    throw error;
  });
  if (control === undefined) return exitCode.done;
  await aborted(signals.stop);
  log.info('stopping', { signal: String(signals.stop.reason) });
  await Promise.race([control.close(), aborted(signals.hurry)]);
  return exitCode.done;
}
