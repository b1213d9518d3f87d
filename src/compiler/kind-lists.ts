import { append } from '../lib/append.ts';
import { compareStrings } from '../lib/sort.ts';
import type { MeshObject } from '../policy/object.ts';
import { keyOf } from '../policy/object-key.ts';

type Object = MeshObject<string>;

/** The objects of a mesh by kind, each list by namespace and name: the same list as long as its objects are the same. */
export class KindLists {
  #all: readonly Object[] = [];
  #lists: Map<string, readonly Object[]> = new Map();
  /** How many objects have a key; all of them one, or two are at odds. */
  readonly #keys = new Map<string, number>();

  get(kind: string): readonly Object[] {
    return this.#lists.get(kind) ?? none;
  }

  get hasDuplicates(): boolean {
    return this.#keys.size !== this.#all.length;
  }

  /** Takes these in the place of all that were there. */
  replace(objects: readonly Object[]): void {
    const { gone, come } = difference(this.#all, objects);
    this.#all = objects;
    for (const object of gone) this.#count(object, -1);
    for (const object of come) this.#count(object, 1);
    const leaving = new Set(gone);
    const coming = new Map<string, Object[]>();
    for (const object of come) append(coming, object.kind, object);
    for (const kind of new Set([...gone.map((object) => object.kind), ...coming.keys()])) {
      const stay = this.get(kind).filter((object) => !leaving.has(object));
      this.#lists.set(kind, inserted(stay, coming.get(kind) ?? []));
    }
    const count = [...this.#lists.values()].reduce((sum, list) => sum + list.length, 0);
    // One object that stood there twice has left both places.
    if (count !== objects.length) this.#sortAll();
  }

  #sortAll(): void {
    const lists = new Map<string, Object[]>();
    for (const object of this.#all) append(lists, object.kind, object);
    for (const list of lists.values()) list.sort(compare);
    this.#lists = lists;
  }

  #count(object: Object, by: 1 | -1): void {
    const key = keyOf(object);
    const count = (this.#keys.get(key) ?? 0) + by;
    if (count === 0) this.#keys.delete(key);
    else this.#keys.set(key, count);
  }
}

const none: readonly Object[] = [];

/** What differs between the equal beginnings and ends of two lists; an object may stand in a list more than once. */
function difference(
  before: readonly Object[],
  after: readonly Object[],
): { readonly gone: readonly Object[]; readonly come: readonly Object[] } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const old = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  const [counted, left] = [countOf(old), countOf(fresh)];
  const isOther = (object: Object, here: ReadonlyMap<Object, number>, there: ReadonlyMap<Object, number>): boolean =>
    here.get(object) !== there.get(object);
  return {
    gone: old.filter((object) => isOther(object, counted, left)),
    come: fresh.filter((object) => isOther(object, left, counted)),
  };
}

function countOf(objects: readonly Object[]): ReadonlyMap<Object, number> {
  const counts = new Map<Object, number>();
  for (const object of objects) counts.set(object, (counts.get(object) ?? 0) + 1);
  return counts;
}

/** A sorted list with further objects in their places. */
function inserted(list: readonly Object[], objects: readonly Object[]): readonly Object[] {
  if (objects.length === 0) return list;
  if (objects.length > 50) return [...list, ...objects].sort(compare);
  const out = [...list];
  for (const object of objects) out.splice(placeOf(object, out), 0, object);
  return out;
}

function placeOf(object: Object, list: readonly Object[]): number {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (compare(list[middle] as Object, object) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(a: Object, b: Object): number {
  return compareStrings(a.namespace, b.namespace) || compareStrings(a.name, b.name);
}
