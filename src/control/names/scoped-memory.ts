import type { NameScope } from './name-scopes.ts';

/** What is made of the names in a scope, kept until one of them is another. */
export class ScopedMemory<T> {
  readonly #made = new Map<NameScope, Map<string, T>>();

  /** `key` tells apart what is made of one scope. */
  of(scope: NameScope, key: string, make: () => T): T {
    const made = this.#made.get(scope) ?? new Map<string, T>();
    this.#made.set(scope, made);
    const known = made.get(key) ?? make();
    made.set(key, known);
    return known;
  }

  clear(): void {
    this.#made.clear();
  }

  /** A name of the service is another one. */
  forget(service: string): void {
    for (const scope of this.#made.keys()) if (scope.services.has(service)) this.#made.delete(scope);
  }

  /** No workload has the scopes any more. */
  keep(inUse: ReadonlySet<NameScope>): void {
    for (const scope of this.#made.keys()) if (!inUse.has(scope)) this.#made.delete(scope);
  }
}
