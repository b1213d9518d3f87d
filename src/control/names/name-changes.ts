import type { Names, ServiceName } from './name-table.ts';
import type { ScopeChanges } from './scope-changes.ts';

/** What is different of the names of the mesh, for another thread. */
export interface NameChanges {
  /** Nothing that was told before holds any more. */
  readonly isWhole: boolean;
  /** Suffixes of the names that only the mesh has. */
  readonly suffixes: readonly string[];
  readonly changed: readonly (readonly [string, ServiceName])[];
  readonly removed: readonly string[];
  /** What Sidecars leave of them. */
  readonly scopes: ScopeChanges;
}

/** Finds what to tell of names, by what was told before. */
export class NameTeller {
  #told: Names | undefined;
  #suffixes: readonly string[] = [];

  /** Undefined: nothing is different. */
  changesTo(names: Names, suffixes: readonly string[]): Omit<NameChanges, 'scopes'> | undefined {
    const isWhole = this.#told === undefined || suffixes.join() !== this.#suffixes.join();
    const before: Names = isWhole ? new Map() : (this.#told ?? new Map());
    this.#told = names;
    this.#suffixes = suffixes;
    const changed = [...names].filter(([key, name]) => before.get(key) !== name);
    const removed = [...before.keys()].filter((key) => !names.has(key));
    return isWhole || changed.length > 0 || removed.length > 0 ? { isWhole, suffixes, changed, removed } : undefined;
  }
}
