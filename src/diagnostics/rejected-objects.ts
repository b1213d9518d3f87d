/** An object that was rejected or left out, as people name it. */
export interface RejectedObject {
  readonly kind: string;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly name: string;
}

/** What finds invalid objects: each finder has its own list, which it replaces as a whole. */
export type Finder = 'compiler' | 'reload';

/** Labels of `pilot_total_rejected_configs`. */
export interface RejectionLabels extends Readonly<Record<string, string>> {
  /** The kind in lower case, as Istio says `gateway`. */
  readonly type: string;
  readonly name: string;
}

/** `pilot_total_rejected_configs`: one more each time that an object begins to be rejected, not at each look at it. */
export class RejectedObjects {
  readonly #count: (labels: RejectionLabels) => void;
  readonly #rejected = new Map<Finder, ReadonlySet<string>>();

  constructor(count: (labels: RejectionLabels) => void) {
    this.#count = count;
  }

  replace(finder: Finder, objects: readonly RejectedObject[]): void {
    const before = this.#rejected.get(finder) ?? new Set();
    const found = new Map(objects.map((object) => [keyOf(object), object]));
    for (const [key, object] of found) if (!before.has(key)) this.#count(labelsOf(object));
    this.#rejected.set(finder, new Set(found.keys()));
  }
}

function keyOf({ kind, namespace, name }: RejectedObject): string {
  return JSON.stringify([kind, namespace, name]);
}

function labelsOf({ kind, namespace, name }: RejectedObject): RejectionLabels {
  return { type: kind.toLowerCase(), name: namespace === '' ? name : `${namespace}/${name}` };
}
