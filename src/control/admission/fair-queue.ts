/** Items that wait, in turns between those that they are from: who sends many delays others by one at a time. */
export class FairQueue<T> {
  readonly #most: number;
  /** In the order of their next turns; none is empty. */
  readonly #lists = new Map<string, T[]>();

  /** `most` may wait of each. */
  constructor(most: number) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#lists.size === 0;
  }

  /** False where as many of the same wait already. */
  put(from: string, item: T): boolean {
    const list = this.#lists.get(from) ?? [];
    if (list.length >= this.#most) return false;
    list.push(item);
    this.#lists.set(from, list);
    return true;
  }

  /** Before all others of the same. */
  putFirst(from: string, item: T): void {
    this.#lists.set(from, [item, ...(this.#lists.get(from) ?? [])]);
  }

  /** Undefined: nothing waits. */
  take(): T | undefined {
    const [next] = this.#lists;
    if (next === undefined) return undefined;
    const [from, list] = next;
    const item = list.shift();
    this.#lists.delete(from);
    if (list.length > 0) this.#lists.set(from, list);
    return item;
  }

  /** All that wait, which do so no more. */
  takeAll(): readonly T[] {
    const all = [...this.#lists.values()].flat();
    this.#lists.clear();
    return all;
  }
}
