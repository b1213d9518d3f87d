import { sortedBy } from '../lib/sort.ts';
import { contentVersion, type DiscoveryResource } from './resource.ts';

/** What differs between two lists, or two views. */
export interface ListChange {
  /** New, or with another version; sorted by name. */
  readonly changed: readonly DiscoveryResource[];
  /** Names, sorted. */
  readonly removed: readonly string[];
}

/** Resources of one type at one moment, sorted by name. Immutable, so that any number of streams may hold it. */
export class ResourceList {
  readonly all: readonly DiscoveryResource[];
  readonly #byName: ReadonlyMap<string, DiscoveryResource>;
  readonly #changes = new WeakMap<ResourceList, ListChange>();
  #version: string | undefined;

  /** Of two resources with one name the later one counts. */
  constructor(resources: Iterable<DiscoveryResource>) {
    const byName = new Map([...resources].map((resource) => [resource.name, resource]));
    this.all = sortedBy([...byName.values()], ({ name }) => name);
    this.#byName = byName;
  }

  get(name: string): DiscoveryResource | undefined {
    return this.#byName.get(name);
  }

  /** Digest of the names and versions. */
  get version(): string {
    this.#version ??= contentVersion(...this.all.flatMap(({ name, version }) => [name, version]));
    return this.#version;
  }

  /** What became of this list in `next`; found once for however many streams ask. */
  changesTo(next: ResourceList): ListChange {
    let change = this.#changes.get(next);
    if (change === undefined) {
      change = {
        changed: next.all.filter(({ name, version }) => this.get(name)?.version !== version),
        removed: this.all.filter(({ name }) => next.get(name) === undefined).map(({ name }) => name),
      };
      this.#changes.set(next, change);
    }
    return change;
  }
}

/** Nothing is there. */
export const emptyList = new ResourceList([]);
