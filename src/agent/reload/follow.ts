import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import type { AdminClient } from '../../envoy/admin.ts';
import { aborted, delay } from '../../lib/abort.ts';
import type { Log } from '../log/log.ts';
import { expectedVersions, waitInForce } from './in-force.ts';
import { refusalDetails } from './refusal.ts';
import type { Reloader } from './reload.ts';

export interface FollowParts {
  readonly reloader: Reloader;
  readonly admin: AdminClient;
  readonly log: Log;
  /** Fires when Envoy has ended, and when the agent is to stop. */
  readonly quit: AbortSignal;
  readonly change: ChangeBell;
  /** Called once, when the first configuration is in force: the one Envoy was started with, or one that mended it. */
  readonly onFirstInForce: () => void;
}

/**
 * Waits for the first configuration to be in force, and reloads at each change of the inputs, until `quit`. What failed
 * for a reason that may pass by itself is tried again, ever less often, without a change.
 */
export async function follow({ reloader, admin, log, quit, change, onFirstInForce }: FollowParts): Promise<void> {
  let isInForce = false;
  let retryMs = firstRetryMs;
  while (!quit.aborted) {
    if (!isInForce) {
      isInForce = await firstInForce(reloader.current, admin, log, AbortSignal.any([quit, change.nextRing()]));
      if (isInForce) onFirstInForce();
    }
    const seenAtMs = await change.wait(reloader.mustRetry ? AbortSignal.any([quit, after(retryMs, quit)]) : quit);
    if (quit.aborted) continue;
    if ((await reloader.reload(seenAtMs, change.nextRing())) && !isInForce) {
      isInForce = true;
      onFirstInForce();
    }
    retryMs = reloader.mustRetry ? Math.min(2 * retryMs, longestRetryMs) : firstRetryMs;
  }
}

const firstRetryMs = 500;
const longestRetryMs = 30_000;

function after(milliseconds: number, quit: AbortSignal): AbortSignal {
  const controller = new AbortController();
  void delay(milliseconds, quit).then(() => controller.abort());
  return controller.signal;
}

/** Waits without end, and says once what Envoy waits for or refuses. */
async function firstInForce(files: ProxyFiles, admin: AdminClient, log: Log, signal: AbortSignal): Promise<boolean> {
  const expected = expectedVersions(files);
  const slowMs = 10_000;
  let refusalsBefore = 0;
  for (let timeoutMs = slowMs; ; timeoutMs = 86_400_000) {
    const result = await waitInForce(admin, expected, { timeoutMs, signal, refusalsBefore });
    if (result.isInForce) {
      log.info('configuration in force', { clusters: expected.clusters, listeners: expected.listeners });
      return true;
    }
    if (signal.aborted) return false;
    const details = await refusalDetails(admin);
    log.error(
      `the first configuration is not in force yet: ${result.missing.join('; ')}`,
      details === '' ? {} : { details },
    );
    refusalsBefore = Number.POSITIVE_INFINITY;
  }
}

/** Says that inputs changed; a ring that comes while nobody waits is kept. */
export class ChangeBell {
  #rungAtMs: number | undefined;
  #next = new AbortController();

  /** `seenAtMs` is when the change was seen, as `performance.now()` counts. */
  ring(seenAtMs = performance.now()): void {
    this.#rungAtMs ??= seenAtMs;
    this.#next.abort();
    this.#next = new AbortController();
  }

  /** Rings again each time that so many milliseconds, which may be months, are over; gives what ends that. */
  ringEvery(ms: number): () => void {
    const end = new AbortController();
    const ringOn = async (): Promise<void> => {
      for (;;) {
        await delay(ms, end.signal);
        if (end.signal.aborted) return;
        this.ring();
      }
    };
    void ringOn();
    return () => end.abort();
  }

  /** Fires at the next ring, or at once when one is kept. */
  nextRing(): AbortSignal {
    return this.#rungAtMs !== undefined ? AbortSignal.abort() : this.#next.signal;
  }

  /** Resolves at a ring, to when its change was seen, or to undefined when `quit` fires first. */
  async wait(quit: AbortSignal): Promise<number | undefined> {
    await aborted(AbortSignal.any([quit, this.nextRing()]));
    const rungAtMs = this.#rungAtMs;
    this.#rungAtMs = undefined;
    return rungAtMs;
  }
}
