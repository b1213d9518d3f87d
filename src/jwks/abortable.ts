/** The promise's value; rejects with the signal's reason as soon as that fires, for work that cannot be stopped itself. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const give = (): void => reject(signal.reason);
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true, signal: stop.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stop.abort();
  }
}
