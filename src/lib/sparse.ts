/** A map without a table while it is empty. A server holds thousands of them, nearly all empty, and a table takes 150 bytes. */
export class SparseMap<Key, Value> {
  #entries: Map<Key, Value> | undefined;

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  get(key: Key): Value | undefined {
    return this.#entries?.get(key);
  }

  has(key: Key): boolean {
    return this.#entries?.has(key) === true;
  }

  set(key: Key, value: Value): void {
    this.#entries ??= new Map();
    this.#entries.set(key, value);
  }

  delete(key: Key): boolean {
    const had = this.#entries?.delete(key) === true;
    if (this.#entries?.size === 0) this.#entries = undefined;
    return had;
  }

  keys(): Iterable<Key> {
    return this.#entries?.keys() ?? [];
  }

  values(): Iterable<Value> {
    return this.#entries?.values() ?? [];
  }
}

/** A set, as `SparseMap` is a map. */
export class SparseSet<Value> implements Iterable<Value> {
  #values: Set<Value> | undefined;

  get size(): number {
    return this.#values?.size ?? 0;
  }

  has(value: Value): boolean {
    return this.#values?.has(value) === true;
  }

  add(value: Value): void {
    this.#values ??= new Set();
    this.#values.add(value);
  }

  delete(value: Value): boolean {
    const had = this.#values?.delete(value) === true;
    if (this.#values?.size === 0) this.#values = undefined;
    return had;
  }

  clear(): void {
    this.#values = undefined;
  }

  [Symbol.iterator](): Iterator<Value> {
    return (this.#values ?? [])[Symbol.iterator]();
  }
}
