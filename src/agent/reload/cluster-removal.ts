import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { delay } from '../../lib/abort.ts';
import type { Log } from '../log/log.ts';
import type { ConfigFiles } from './config-files.ts';

export interface ClusterRemovalParts {
  readonly files: Pick<ConfigFiles, 'leavesInMs' | 'removeLeft'>;
  /** What Envoy was told last. */
  readonly current: () => ProxyFiles;
  /** Files are being replaced: `begin` is called at the end of that. */
  readonly isBusy: () => boolean;
  readonly signal: AbortSignal;
  readonly log: Pick<Log, 'warn'>;
}

/** Removes deleted clusters from Envoy's file when their delay is over, between two reloads. */
export class ClusterRemoval {
  readonly #parts: ClusterRemovalParts;
  #isRunning = false;
  #removing = Promise.resolve();

  constructor(parts: ClusterRemovalParts) {
    this.#parts = parts;
  }

  /** Resolves when no file is being written. */
  get written(): Promise<void> {
    return this.#removing;
  }

  /** A reload has ended: clusters may have begun to leave. */
  begin(): void {
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { files, isBusy, signal } = this.#parts;
    this.#isRunning = true;
    for (let waitMs = files.leavesInMs; waitMs !== undefined; waitMs = files.leavesInMs) {
      await delay(waitMs, signal);
      if (signal.aborted || isBusy() || !(await this.#remove())) break;
    }
    this.#isRunning = false;
  }

  /** What fails is left to the end of the next reload: the clusters harm nobody. */
  async #remove(): Promise<boolean> {
    const { files, current, log } = this.#parts;
    const removed = files.removeLeft(current()).then(
      () => true,
      (error: Error) => {
        log.warn('clusters that are gone cannot be taken from Envoy yet', { reason: error.message });
        return false;
      },
    );
    this.#removing = removed.then(() => undefined);
    return removed;
  }
}
