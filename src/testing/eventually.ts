import { vi } from 'vitest';

/** Ends the wait for something that never comes. How long it takes is measured in bench/: a busy machine takes ten times as long. */
const patienceMs = 60_000;

/** What `attempt` gives when it throws no longer; it is tried each `interval` ms. After a minute, what it threw last. */
export function eventually<T>(attempt: () => T | Promise<T>, { interval = 50 } = {}): Promise<T> {
  return vi.waitFor(attempt, { timeout: patienceMs, interval });
}
