import { delay } from '../lib/abort.ts';
import { type EnvoyRunParts, runEnvoy } from './envoy-run.ts';
import { isRestarted, RestartBackoff } from './life/restart.ts';
import { agentExitCode } from './life/supervisor.ts';

/**
 * Runs Envoy, again and again where the restart policy says so, and resolves to the agent's exit code: 0 when somebody
 * asked the agent for the end, else that of Envoy's last end, 1 for 0.
 */
export async function keepRunning(parts: EnvoyRunParts): Promise<number> {
  const { config, life, log, observers, requests, change } = parts;
  const backoff = new RestartBackoff();
  let wasEverReady = false;
  for (;;) {
    const end = await runEnvoy(parts);
    if (end.isStopped) return 0;
    wasEverReady ||= end.wasReady;
    const code = agentExitCode(end.status);
    // Somebody else's end of an Envoy that was to stop: 0, as for the end that was asked for.
    if (requests.stop.aborted) return end.status.code === 0 || end.wasDraining ? 0 : code;
    if (end.wasDraining || !isRestarted(config.restartPolicy ?? 'never', wasEverReady)) return code;
    life.moveTo('backing-off');
    observers?.life?.envoyRestarted(code);
    if (!(await writeAgain(parts, () => backoff.next(end.livedMs)))) return 0;
    // A change that this end has interrupted was neither refused nor is it in force.
    change.ring();
    log.info('Envoy is started again');
  }
}

/**
 * Waits, and writes the last valid configuration anew: Envoy may have ended in the middle of a change. What cannot be
 * written is tried again after the next delay. Gives false when somebody asks for the end.
 */
async function writeAgain(parts: EnvoyRunParts, nextDelayMs: () => number): Promise<boolean> {
  const { active, folder, log, requests } = parts;
  for (;;) {
    const ms = nextDelayMs();
    log.warn('Envoy will be started again', { ms });
    await delay(ms, requests.stop);
    if (requests.stop.aborted) return false;
    try {
      await folder.writeAll(active.files);
      await folder.complete();
      return true;
    } catch (error) {
      log.error(`the configuration cannot be written: ${(error as Error).message}`);
    }
  }
}
