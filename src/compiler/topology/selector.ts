import { append } from '../../lib/append.ts';
import type { WorkloadSelector } from '../../policy/object.ts';

export type Labels = Readonly<Record<string, string>>;

/** True when every wanted label has the wanted value; no wanted labels select everything. */
export function selects(wanted: Labels | undefined, labels: Labels): boolean {
  for (const key in wanted) {
    if (labels[key] !== wanted[key]) return false;
  }
  return true;
}

/** False for a selector that is absent or names no label: such a policy holds for its whole namespace. */
export function hasLabels(selector: WorkloadSelector | undefined): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length > 0;
}

interface Labelled {
  readonly namespace: string;
  readonly labels: Labels;
}

/** Finds what a selector selects without looking at everything. Answers keep the order of the items. */
export class LabelIndex<T extends Labelled> {
  readonly #byNamespace = new Map<string, T[]>();
  readonly #byLabel = new Map<string, T[]>();

  constructor(items: Iterable<T>) {
    for (const item of items) {
      append(this.#byNamespace, item.namespace, item);
      for (const [key, value] of Object.entries(item.labels))
        append(this.#byLabel, entryOf(item.namespace, key, value), item);
    }
  }

  /** Items of the namespace that carry all the labels; all of them when no label is wanted. */
  select(namespace: string, wanted: Labels | undefined): readonly T[] {
    let candidates = this.#byNamespace.get(namespace) ?? [];
    for (const [key, value] of Object.entries(wanted ?? {})) {
      const carriers = this.#byLabel.get(entryOf(namespace, key, value)) ?? [];
      if (carriers.length < candidates.length) candidates = carriers;
    }
    return candidates.filter((item) => selects(wanted, item.labels));
  }
}

function entryOf(namespace: string, key: string, value: string): string {
  return `${namespace}\n${key}\n${value}`;
}
