import type { EnvoyProcess, ExitStatus } from '../../envoy/process.ts';
import { aborted, within } from '../../lib/abort.ts';
import type { Log } from '../log/log.ts';

/** How long Envoy may take for its own end (it needs under half a second) before it is killed. */
export const terminateMs = 2_000;

/** SIGTERM, two seconds, SIGKILL; at once when `kill` fires. Resolves when Envoy is gone: no orphan is left. */
export async function terminate(envoy: EnvoyProcess, kill: AbortSignal, log: Log): Promise<ExitStatus> {
  envoy.signal('SIGTERM');
  const exit = await within(terminateMs, Promise.race([envoy.exited, aborted(kill).then(() => undefined)]));
  if (exit !== undefined) return exit;
  log.warn('Envoy does not end by itself and is killed', { pid: envoy.pid });
  envoy.signal('SIGKILL');
  return envoy.exited;
}
