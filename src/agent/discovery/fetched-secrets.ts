import type { DeltaResponse } from '../../xds/message.ts';
import { ResourceStore } from '../../xds/resource-store.ts';
import { secretType } from '../../xds/secret-service.ts';

/**
 * Serves Envoy the secrets of gateway servers that the control plane sends. They are kept only in memory: an agent that
 * starts while the control plane can't be reached has none, and the servers that need them stay closed.
 */
export class FetchedSecrets {
  readonly store: ResourceStore = new ResourceStore(secretType);
  readonly #wanted = new Set<string>();
  /** Those that came on the stream of now. */
  readonly #confirmed = new Set<string>();

  /** Envoy names these; gives those that are new. */
  want(names: readonly string[]): readonly string[] {
    const fresh = names.filter((name) => !this.#wanted.has(name));
    for (const name of fresh) this.#wanted.add(name);
    return fresh;
  }

  /** Envoy wants these no more. */
  drop(names: readonly string[]): void {
    for (const name of names) this.#wanted.delete(name);
    this.#keep((name) => !names.includes(name));
  }

  /** A stream to the control plane begins; gives the names that it is to ask for. */
  begin(): readonly string[] {
    this.#confirmed.clear();
    return [...this.#wanted];
  }

  take({ resources, removed }: DeltaResponse): void {
    const next = new Map(this.store.view.all.map((resource) => [resource.name, resource]));
    for (const name of removed) next.delete(name);
    for (const { name, version, body } of resources) {
      this.#confirmed.add(name);
      // A name that Envoy dropped meanwhile is nobody's.
      if (this.#wanted.has(name)) next.set(name, { name, version, body });
    }
    this.store.replace(next.values());
  }

  /** All has come that the control plane has: what it did not send again is gone. */
  settle(): void {
    this.#keep((name) => this.#confirmed.has(name));
  }

  /** They were another workload's. */
  clear(): void {
    this.store.replace([]);
  }

  #keep(isKept: (name: string) => boolean): void {
    this.store.replace(this.store.view.all.filter(({ name }) => isKept(name)));
  }
}
