import type { AdminClient } from '../../envoy/admin.ts';
import { aborted } from '../life/signals.ts';
import type { Log } from '../log/log.ts';
import { expectedVersions, waitInForce } from './in-force.ts';
import type { ProxyFiles } from './proxy-files.ts';
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

/** Waits for the first configuration to be in force, and reloads at each change of the inputs, until `quit`. */
export async function follow({ reloader, admin, log, quit, change, onFirstInForce }: FollowParts): Promise<void> {
  let isInForce = false;
  while (!quit.aborted) {
    if (!isInForce) {
      isInForce = await firstInForce(reloader.current, admin, log, AbortSignal.any([quit, change.nextRing()]));
      if (isInForce) onFirstInForce();
    }
    await change.wait(quit);
    if (!quit.aborted && (await reloader.reload()) && !isInForce) {
      isInForce = true;
      onFirstInForce();
    }
  }
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
  #isRung = false;
  #next = new AbortController();

  ring(): void {
    this.#isRung = true;
    this.#next.abort();
    this.#next = new AbortController();
  }

  /** Fires at the next ring, or at once when one is kept. */
  nextRing(): AbortSignal {
    return this.#isRung ? AbortSignal.abort() : this.#next.signal;
  }

  async wait(quit: AbortSignal): Promise<void> {
    await aborted(AbortSignal.any([quit, this.nextRing()]));
    this.#isRung = false;
  }
}
