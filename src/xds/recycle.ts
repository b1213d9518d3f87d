import { longestTimerMs } from '../lib/abort.ts';
import type { Session } from './session.ts';

/** Looks that go on until they are closed. */
export interface Recycling {
  close(): void;
}

/**
 * Ends the streams whose clients have left a response without a word for `intervalMs`: they hold memory and count as
 * served while nothing reaches them. After half of it they are stale. Nothing is done when the interval is 0.
 */
export function recycleStale(sessions: ReadonlySet<Session>, intervalMs: number): Recycling {
  if (intervalMs <= 0) return { close: () => undefined };
  const timer = setInterval(
    () => {
      const nowMs = performance.now();
      for (const session of sessions) {
        const unansweredMs = nowMs - (session.unansweredSinceMs ?? nowMs);
        if (unansweredMs >= intervalMs) session.recycle();
        else if (unansweredMs >= intervalMs / 2) session.goStale();
      }
    },
    Math.min(intervalMs / 4, longestTimerMs),
  );
  timer.unref();
  return { close: () => clearInterval(timer) };
}
