import type { MeshObject } from '../policy/object.ts';
import { keyOf } from '../policy/object-key.ts';

/** What one object is now: there, or gone. */
export interface Change {
  /** Of the object, as `keyOf` says it. */
  readonly key: string;
  /** Undefined: deleted, which it may have been before. */
  readonly object: MeshObject<string> | undefined;
}

/** The objects of a mesh, updated by changes alone. */
export class ObjectStore {
  readonly #objects = new Map<string, MeshObject<string>>();
  #list: readonly MeshObject<string>[] | undefined;

  /** Takes over a whole batch; of several changes of one key the last one counts. */
  change(batch: Iterable<Change>): void {
    for (const { key, object } of batch) {
      if (object === undefined) this.#objects.delete(key);
      else if (keyOf(object) === key) this.#objects.set(key, object);
      else throw new Error(`the object ${keyOf(object)} stands under the key ${key}`);
    }
    this.#list = undefined;
  }

  /** All that are there. */
  get objects(): readonly MeshObject<string>[] {
    this.#list ??= [...this.#objects.values()];
    return this.#list;
  }
}
