/** Of a millisecond each or so: fewer would have the event loop turn more often than it has news. */
const mostInOneTurn = 8;

/**
 * Lets callers continue in their order, a few in each turn of the event loop. Node handles everything that has arrived on all
 * connections before it runs timers and accepts new connections; without turns, hundreds of signing requests would delay
 * probes by a second.
 */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const letSomeGoOn = (): void => {
    for (const goOn of waiting.splice(0, mostInOneTurn)) goOn();
    if (waiting.length > 0) setImmediate(letSomeGoOn);
  };
  return () =>
    new Promise((goOn) => {
      waiting.push(goOn);
      if (waiting.length === 1) setImmediate(letSomeGoOn);
    });
}
