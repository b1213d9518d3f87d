import { type Diagnostic, DiagnosticBag } from './bag.ts';

/** What a stage was given: objects that are compared by identity, and texts. */
export type Inputs = readonly unknown[];

/** The one decision on which compiling again depends. */
export const keeping = {
  /** Whether what a stage made of `before` still holds; both lists belong to the same stage. */
  isSame(_stage: string, before: Inputs, now: Inputs): boolean {
    return isSameList(before, now);
  },
};

export function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** `fresh`, or the list of before where it has the same elements. */
export function keptList<T>(before: readonly T[] | undefined, fresh: readonly T[]): readonly T[] {
  return before !== undefined && isSameList(before, fresh) ? before : fresh;
}

interface Entry<T> {
  readonly inputs: Inputs;
  readonly value: T;
  readonly told: readonly Diagnostic[];
}

type Make<T> = (bag: DiagnosticBag, before: T | undefined) => T;

/** What a stage made last, and said of it. It is made again when one of its inputs is another. */
export class Kept<T> {
  readonly #stage: string;
  #last: Entry<T> | undefined;

  constructor(stage: string) {
    this.#stage = stage;
  }

  of(inputs: Inputs, bag: DiagnosticBag, make: Make<T>): T {
    this.#last = renewed(this.#stage, this.#last, inputs, make);
    if (this.#last.told.length > 0) bag.addAll(this.#last.told);
    return this.#last.value;
  }
}

/** The same for each item of a list; forgotten with the item. */
export class KeptEach<K extends object, T> {
  readonly #stage: string;
  readonly #last = new WeakMap<K, Entry<T>>();

  constructor(stage: string) {
    this.#stage = stage;
  }

  of(item: K, inputs: Inputs, bag: DiagnosticBag, make: Make<T>): T {
    const last = this.#last.get(item);
    const entry = renewed(this.#stage, last, inputs, make);
    if (entry !== last) this.#last.set(item, entry);
    if (entry.told.length > 0) bag.addAll(entry.told);
    return entry.value;
  }
}

function renewed<T>(stage: string, last: Entry<T> | undefined, inputs: Inputs, make: Make<T>): Entry<T> {
  if (last !== undefined && keeping.isSame(stage, last.inputs, inputs)) return last;
  const own = new DiagnosticBag();
  const value = make(own, last?.value);
  return { inputs, value, told: own.all };
}
