import { type BindAddress, bindFailure } from './bind-failure.ts';
import { boundAddresses, listenerFault } from './listener-ports.ts';
import { listeningPorts } from './process-table.ts';

type Listeners = Parameters<typeof boundAddresses>[0];

/**
 * Finds listeners that a change adds on a port which another process shares by SO_REUSEPORT: the kernel would give that
 * process a part of the connections, past every policy, and Envoy would not notice. A port that nobody shares is left to
 * Envoy, which refuses the change itself.
 */
export class SharedPorts {
  readonly #drainMs: number;
  /** When an address was last one of this agent's own, as `performance.now()` counts. */
  readonly #ownUntilMs = new Map<string, number>();

  /** `drainMs`: for how long Envoy keeps the socket of a listener that was removed. */
  constructor(drainMs: number) {
    this.#drainMs = drainMs;
  }

  /** What keeps Envoy from having an address of `next` for itself; undefined when nothing does. `current` is in force. */
  async findFault(current: Listeners, next: Listeners): Promise<string | undefined> {
    const nowMs = performance.now();
    for (const { address } of boundAddresses(current)) this.#ownUntilMs.set(keyOf(address), nowMs);
    for (const [key, untilMs] of this.#ownUntilMs) {
      if (nowMs - untilMs > this.#drainMs + closingMs) this.#ownUntilMs.delete(key);
    }
    const added = boundAddresses(next).filter(({ address }) => !this.#ownUntilMs.has(keyOf(address)));
    if (added.length === 0) return undefined;
    const listening = await listeningPorts();
    for (const { name, address } of added) {
      if (listening?.has(address.port) === false || !(await isShared(address))) continue;
      return listenerFault(name, address);
    }
    return undefined;
  }
}

/** Envoy closes sockets a moment after the time to drain. */
const closingMs = 5_000;

async function isShared(address: BindAddress): Promise<boolean> {
  if ((await bindFailure(address)) !== 'EADDRINUSE') return false;
  return (await bindFailure({ ...address, isSharing: true })) === undefined;
}

function keyOf({ host, port }: BindAddress): string {
  return `${host} ${port}`;
}
