interface Node<V> {
  value: V | undefined;
  readonly next: WeakMap<object, Node<V>>;
}

/**
 * Remembers what was made from a list of objects, by their identity: the same objects in the same order give the same
 * value. Forgets it when one of the objects is gone.
 */
export class IdentityMap<V extends object> {
  #root: Node<V> = { value: undefined, next: new WeakMap() };

  get(keys: readonly object[], make: () => V): V {
    let node = this.#root;
    for (const key of keys) {
      let next = node.next.get(key);
      if (next === undefined) {
        next = { value: undefined, next: new WeakMap() };
        node.next.set(key, next);
      }
      node = next;
    }
    node.value ??= make();
    return node.value;
  }
}
