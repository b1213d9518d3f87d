import { delay } from '../../lib/abort.ts';
import type { Log } from '../log/log.ts';
import type { StopSignals } from './signals.ts';
import type { StopRequests } from './stop-requests.ts';

/** How long the orderly end after a crash may take; Envoy gets two seconds of it. */
const orderlyEndMs = 5_000;
/** EX_SOFTWARE of sysexits.h: a bug of ours. */
const bugCode = 70;

/** Watches for uncaught errors. */
export interface CrashWatch {
  /** Throws the first uncaught error as a bug, whatever its cause. */
  throwIfCrashed(): void;
}

/**
 * Stops the agent without a drain after an uncaught error. Envoy stops first, so that no Envoy is left without an agent.
 * If the stop hangs, the process kills Envoy and exits with 70.
 */
export function endOnCrash(signals: StopSignals, requests: StopRequests, log: Log): CrashWatch {
  const crash = signals.catchCrashes();
  const done = new AbortController();
  crash.addEventListener('abort', async () => {
    log.error('an error that nobody caught ends the agent', { reason: textOf(crash.reason) });
    requests.quit('an error that nobody caught');
    await delay(orderlyEndMs, done.signal);
    if (!done.signal.aborted) process.exit(bugCode);
  });
  return {
    throwIfCrashed: () => {
      done.abort();
      if (crash.aborted) throw asBug(crash.reason);
    },
  };
}

/** Without a code and a cause, which would make it a failure of the world. */
function asBug(reason: unknown): Error {
  const bug = new Error(textOf(reason));
  if (reason instanceof Error && reason.stack !== undefined) bug.stack = reason.stack;
  return bug;
}

function textOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
