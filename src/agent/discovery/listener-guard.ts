import { decodeMessage } from '../../envoy/api/decode.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { addressesOf, type BoundAddress, checkListenerPorts } from '../life/listener-ports.ts';
import { listeningPorts } from '../life/process-table.ts';
import { SharedPorts } from '../life/shared-ports.ts';

interface Known {
  readonly version: string;
  readonly addresses: readonly BoundAddress[];
}

/** Finds listeners of the control plane on ports that other processes use, before Envoy is served them. */
export class ListenerGuard {
  readonly #shared: SharedPorts;
  /** Of listeners that are served, by their names. */
  #known: ReadonlyMap<string, Known> = new Map();
  #isFirst = true;

  /** `drainMs`: for how long Envoy keeps the socket of a listener that was removed. */
  constructor(drainMs: number) {
    this.#shared = new SharedPorts(drainMs);
  }

  /**
   * Why Envoy may not be served some of the listeners `next`, by their names; `served` are those that it has. Throws an
   * AgentError where these are its first listeners, as for listeners that the agent compiles itself.
   */
  async faultsOf(
    served: readonly DiscoveryResource[],
    next: readonly DiscoveryResource[],
  ): Promise<ReadonlyMap<string, string>> {
    const current = this.#addressesOf(served);
    const added = this.#addressesOf(next);
    this.#known = new Map([...current, ...added]);
    const addresses = flat(added);
    if (!this.#isFirst) return this.#shared.findFaults(flat(current), addresses);
    await checkListenerPorts(addresses, await listeningPorts());
    this.#isFirst = addresses.length === 0;
    return new Map();
  }

  #addressesOf(resources: readonly DiscoveryResource[]): ReadonlyMap<string, Known> {
    return new Map(
      resources.map(({ name, version, body }) => {
        const known = this.#known.get(name);
        return [name, known?.version === version ? known : { version, addresses: read(name, body) }];
      }),
    );
  }
}

function read(name: string, body: Uint8Array): readonly BoundAddress[] {
  try {
    const listener = new Fragment(decodeMessage('envoy.config.listener.v3.Listener', body));
    return addressesOf(listener).map(({ address }) => ({ name, address }));
  } catch {
    // Envoy refuses it itself.
    return [];
  }
}

function flat(known: ReadonlyMap<string, Known>): readonly BoundAddress[] {
  return [...known.values()].flatMap(({ addresses }) => addresses);
}
