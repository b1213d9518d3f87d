import { type BindAddress, bindFailure } from './bind-failure.ts';
import { type BoundAddress, listenerFault } from './listener-ports.ts';
import { listeningPorts } from './process-table.ts';

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

  /** What keeps Envoy from having an address of `next` for itself, by the names of listeners. `current` is in force. */
  async findFaults(
    current: readonly BoundAddress[],
    next: readonly BoundAddress[],
  ): Promise<ReadonlyMap<string, string>> {
    const nowMs = performance.now();
    for (const { address } of current) this.#ownUntilMs.set(keyOf(address), nowMs);
    for (const [key, untilMs] of this.#ownUntilMs) {
      if (nowMs - untilMs > this.#drainMs + closingMs) this.#ownUntilMs.delete(key);
    }
    const faults = new Map<string, string>();
    const added = next.filter(({ address }) => !this.#ownUntilMs.has(keyOf(address)));
    if (added.length === 0) return faults;
    const listening = await listeningPorts();
    for (const { name, address } of added) {
      if (faults.has(name) || listening?.has(address.port) === false || !(await isShared(address))) continue;
      faults.set(name, await listenerFault(name, address));
    }
    return faults;
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
