import { longestTimerMs } from '../lib/abort.ts';
import type { Session } from './session.ts';

/** Looks that go on until they are closed. */
export interface Recycling {
  close(): void;
}

/**
 * Ends, every `intervalMs`, the streams whose clients have left a response without a word for that long: they hold memory
 * and count as served while nothing reaches them. Nothing is done when the interval is 0.
 */
export function recycleStale(sessions: ReadonlySet<Session>, intervalMs: number): Recycling {
  if (intervalMs <= 0) return { close: () => undefined };
  const timer = setInterval(
    () => {
      const staleMs = performance.now() - intervalMs;
      for (const session of sessions) if ((session.unansweredSinceMs ?? Infinity) <= staleMs) session.recycle();
    },
    Math.min(intervalMs, longestTimerMs),
  );
  timer.unref();
  return { close: () => clearInterval(timer) };
}
