import { SparseSet } from '../lib/sparse.ts';
import { emptyView, type ResourceView } from './resource-view.ts';

/**
 * What one client has subscribed to. A proxy asks for nearly all routes and endpoints that there are for it: then only the
 * names that differ from the view are kept, since a set of thousands of names for each of thousands of streams is memory.
 */
export class SubscribedNames {
  /** Every resource of the type, beside the names. */
  isWildcard = false;
  #view = emptyView;
  /** All names of the view are subscribed but `#without`. */
  #follows = false;
  readonly #without = new SparseSet<string>();
  readonly #others = new SparseSet<string>();

  has(name: string): boolean {
    return this.isWildcard || this.isNamed(name);
  }

  /** By its own name, whatever the wildcard says. */
  isNamed(name: string): boolean {
    return this.#others.has(name) || (this.#follows && this.#view.get(name) !== undefined && !this.#without.has(name));
  }

  /** By name. */
  get size(): number {
    return this.#others.size + (this.#follows ? this.#view.size - this.#without.size : 0);
  }

  /** Names that are kept one by one; for measurements. */
  get kept(): number {
    return this.#others.size + this.#without.size;
  }

  add(names: Iterable<string>): void {
    for (const name of names) {
      if (this.#follows && this.#view.get(name) !== undefined) this.#without.delete(name);
      else this.#others.add(name);
    }
    this.#compact();
  }

  delete(name: string): void {
    this.#others.delete(name);
    if (this.#follows && this.#view.get(name) !== undefined) this.#without.add(name);
  }

  clear(): void {
    this.#follows = false;
    this.#without.clear();
    this.#others.clear();
  }

  /** The names stay the same, and are told from now on by what differs from `view`. */
  follow(view: ResourceView): void {
    if (view === this.#view) return;
    const before = this.#view;
    this.#view = view;
    if (this.#follows) {
      const { changed, removed } = view.changesSince(before);
      for (const { name } of changed) {
        if (before.get(name) === undefined && !this.#others.delete(name)) this.#without.add(name);
      }
      for (const name of removed) if (!this.#without.delete(name)) this.#others.add(name);
    }
    this.#compact();
  }

  /** The names are those of `view`, whatever they were. */
  followAll(view: ResourceView): void {
    this.clear();
    this.#view = view;
    this.#follows = true;
  }

  /** Names of which the view has no resource, sorted. */
  get absent(): readonly string[] {
    return [...this.#others].filter((name) => this.#view.get(name) === undefined).sort();
  }

  #compact(): void {
    if (this.#follows || this.#others.size < 16 || this.#others.size * 2 < this.#view.size) return;
    this.#follows = true;
    for (const { name } of this.#view.all) if (!this.#others.delete(name)) this.#without.add(name);
  }
}
