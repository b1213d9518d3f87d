import { Fragment } from '../../envoy/api/fragment.ts';

type Json = Readonly<Record<string, unknown>>;

/** Resources by name, each of which is read when it is first asked for: a request meets few of the clusters of its proxy. */
export class LiftedResources<T> implements ReadonlyMap<string, T> {
  readonly #lift: (fragment: Fragment) => T;
  readonly #unread: ReadonlyMap<string, Json>;
  readonly #read = new Map<string, T>();

  /** Of several with one name the last one counts. */
  constructor(resources: readonly Json[], lift: (fragment: Fragment) => T) {
    this.#lift = lift;
    this.#unread = new Map(resources.map((json) => [typeof json.name === 'string' ? json.name : '', json]));
  }

  get size(): number {
    return this.#unread.size;
  }

  has(name: string): boolean {
    return this.#unread.has(name);
  }

  get(name: string): T | undefined {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const json = this.#unread.get(name);
    if (json === undefined) return undefined;
    const lifted = this.#lift(new Fragment(json));
    this.#read.set(name, lifted);
    return lifted;
  }

  keys(): MapIterator<string> {
    return this.#unread.keys();
  }

  *values(): MapIterator<T> {
    for (const [, resource] of this) yield resource;
  }

  *entries(): MapIterator<[string, T]> {
    for (const name of this.keys()) yield [name, this.get(name) as T];
  }

  [Symbol.iterator](): MapIterator<[string, T]> {
    return this.entries();
  }

  forEach(visit: (resource: T, name: string, all: ReadonlyMap<string, T>) => void): void {
    for (const [name, resource] of this) visit(resource, name, this);
  }
}
