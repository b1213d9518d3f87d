import { delay } from '../lib/abort.ts';
import type { ConsulApi } from './consul-api.ts';
import { ConsulError } from './consul-error.ts';

export interface FollowedAnswer {
  /** JSON of unknown shape. */
  readonly value: unknown;
  /** The server has an older index than before: it was restored, or has lost its state. */
  readonly isOlder: boolean;
}

export interface BlockingQueryOptions {
  readonly api: ConsulApi;
  readonly path: string;
  /**
   * Called for the first answer and for each that may differ from the one before. What it throws counts as a failure.
   */
  readonly onAnswer: (answer: FollowedAnswer) => void;
  /** Each time that the server was heard of. */
  readonly onHeard: () => void;
  readonly onFailure: (error: ConsulError) => void;
  readonly signal: AbortSignal;
  /**
   * Longest wait of one question, which is also how late the loss of a server's leader is noticed. Absent: under a
   * minute.
   */
  readonly waitMs?: number;
  /** Two questions are at least so far apart, whatever changes meanwhile. */
  readonly pauseMs?: number;
  /** Between two tries; each wait is up to twice the one before. */
  readonly backOff?: { readonly firstMs: number; readonly longestMs: number };
}

const usualBackOff = { firstMs: 250, longestMs: 10_000 };

/**
 * Asks for one list again and again, each time for one that is newer than the last (Consul's blocking queries), until the
 * signal fires. An index that did not change is a time-out, and no answer. After a failure, and after an index that went back,
 * it asks without one: a server whose index is smaller now would answer only when the wait is over.
 */
export async function followAnswers(options: BlockingQueryOptions): Promise<void> {
  const { api, path, onAnswer, onHeard, onFailure, signal } = options;
  const { waitMs = 50_000, pauseMs = 100, backOff = usualBackOff } = options;
  let known = 0;
  let isNew = true;
  let failures = 0;
  while (!signal.aborted) {
    try {
      // Those of many replicas do not end together.
      const after = isNew ? undefined : { index: known, waitMs: Math.round(waitMs * (0.8 + Math.random() / 5)) };
      const { value, index } = await api.ask({ path, after, signal });
      onHeard();
      const isOlder = index < known;
      // After a failure another state may have the same index.
      if (index !== known || isNew) onAnswer({ value, isOlder });
      known = Math.max(index, 1);
      isNew = isOlder || index < 1;
      failures = 0;
      await delay(pauseMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ConsulError)) throw error;
      onFailure(error);
      isNew = true;
      const ms = Math.min(backOff.firstMs * 2 ** failures++, backOff.longestMs);
      await delay(ms * (0.5 + Math.random() / 2), signal);
    }
  }
}
