/** Of a millisecond each or so: fewer would have the event loop turn more often than it has news. */
const mostInOneTurn = 8;

/**
 * Lets those that ask go on in the order of asking, a few in each turn of the event loop. Node takes whatever has come
 * from all connections before it looks at its timers and at new connections: hundreds of requests would keep the probes
 * waiting for a second.
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
