/** 25 days: a timer that is set to more fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Resolves after `milliseconds`, or as soon as the signal fires: the caller looks at the signal, nothing is thrown. */
export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    let left = milliseconds;
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const part = Math.min(left, longestTimerMs);
      left -= part;
      timer = setTimeout(left > 0 ? wait : done, part);
    };
    wait();
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Resolves when the signal fires. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** The promise's value, or undefined when `milliseconds` pass first. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController();
  try {
    return await Promise.race([promise, delay(milliseconds, timer.signal).then(() => undefined)]);
  } finally {
    timer.abort();
  }
}
