import { KnownNames } from '../../lib/known-names.ts';
import { isOneLetterOff, NearNames } from '../../lib/near-names.ts';
import type { LabelIndex, Labels } from './selector.ts';

type Labelled = LabelIndex<{ readonly namespace: string; readonly labels: Labels }>;

const known = new WeakMap<object, Map<string, KnownLabels>>();

/** A label as workloads have it. */
export interface NearLabel {
  readonly key: string;
  readonly value: string;
}

/** The label of workloads of a namespace that a selector which matches none of them was meant to name. */
export function nearLabel(workloads: Labelled, namespace: string, wanted: Labels): NearLabel | undefined {
  const byNamespace = known.get(workloads) ?? new Map<string, KnownLabels>();
  known.set(workloads, byNamespace);
  const labels = byNamespace.get(namespace) ?? new KnownLabels(workloads.select(namespace, undefined));
  byNamespace.set(namespace, labels);
  for (const [key, value] of Object.entries(wanted)) {
    const meant = labels.meantBy(key, value);
    if (meant !== undefined) return meant;
  }
  return undefined;
}

/** The hint that asks whether it was meant. */
export function nearLabelHint(workloads: Labelled, namespace: string, wanted: Labels): string | undefined {
  const meant = nearLabel(workloads, namespace, wanted);
  return meant && `did you mean "${meant.key}: ${meant.value}"? Workloads of namespace "${namespace}" have that label`;
}

/**
 * The hint that names what the label of a selector that matches nothing is in its namespace, and how to `add` what may be missing;
 * undefined where no workload has the label.
 */
export function otherValuesHint(
  workloads: Labelled,
  namespace: string,
  wanted: Labels,
  add = 'add the pods that it is for to the inputs',
): string | undefined {
  const all = workloads.select(namespace, undefined);
  for (const [key, value] of Object.entries(wanted)) {
    const values = [...new Set(all.flatMap(({ labels }) => labels[key] ?? []))].sort();
    if (values.length === 0 || values.includes(value)) continue;
    const listed = values.slice(0, 3).map((it) => `"${it}"`);
    const rest = values.length > 3 ? ` and ${values.length - 3} more` : '';
    return `correct the selector (in namespace "${namespace}", "${key}" is ${listed.join(', ')}${rest}), or ${add}`;
  }
  return undefined;
}

/** The hint that names the labels of a selector which the workload that has its other ones lacks altogether. */
export function partlyHint(
  workloads: LabelIndex<{ readonly namespace: string; readonly name: string; readonly labels: Labels }>,
  namespace: string,
  wanted: Labels,
): string | undefined {
  const entries = Object.entries(wanted);
  const having = entries.filter(([, value]) => isWord(value));
  for (const { name, labels } of having.flatMap(([key, value]) => workloads.select(namespace, { [key]: value }))) {
    const lacked = entries.filter(([key, value]) => labels[key] !== value);
    if (!lacked.every(([key]) => labels[key] === undefined)) continue;
    const had = entries.filter(([key, value]) => labels[key] === value);
    const [have, lack] = [had, lacked].map((list) => list.map(([key, value]) => `"${key}: ${value}"`).join(' and '));
    return `take ${lack} out of the selector, or give it to the pods: those of "${namespace}/${name}" have ${have} alone`;
  }
  return undefined;
}

/** As `nearLabelHint`, for a selector that looks in all namespaces, where most names are near to some: one letter alone may differ. */
export function misspeltLabelHint(
  workloads: readonly { readonly namespace: string; readonly labels: Labels }[],
  wanted: Labels,
): string | undefined {
  for (const [key, value] of Object.entries(wanted)) {
    const near = workloads.find(({ labels }) => isMisspelling(value, labels[key]));
    if (near === undefined) continue;
    return `did you mean "${key}: ${near.labels[key]}"? Workloads of namespace "${near.namespace}" have that label`;
  }
  return undefined;
}

function isMisspelling(value: string, known: string | undefined): boolean {
  if (known === undefined || known === value || !isOneLetterOff(value.toLowerCase(), known.toLowerCase())) return false;
  return new KnownNames([known]).meantBy(value) !== undefined;
}

/** The labels of one namespace. */
class KnownLabels {
  readonly #values = new Map<string, Set<string>>();
  readonly #near = new Map<string, NearNames>();
  /** The first key that has a value. */
  readonly #keys = new Map<string, string>();

  constructor(items: readonly { readonly labels: Labels }[]) {
    for (const { labels } of items) {
      for (const [key, value] of Object.entries(labels)) {
        const values = this.#values.get(key) ?? new Set();
        this.#values.set(key, values.add(value));
        if (!this.#keys.has(value)) this.#keys.set(value, key);
      }
    }
  }

  /** The same value at another key, or the value of the key that a mistyped or shortened one was meant to be. */
  meantBy(key: string, value: string): NearLabel | undefined {
    const values = this.#values.get(key);
    if (values?.has(value)) return undefined;
    const other = this.#keys.get(value);
    if (other !== undefined && isWord(value)) return { key: other, value };
    if (values === undefined) return undefined;
    const names = this.#near.get(key) ?? new NearNames(values);
    this.#near.set(key, names);
    const near = names.nearest(value);
    const meant = near !== undefined && !differsByNumber(value, near) ? near : fullForm(value, values);
    return meant === undefined ? undefined : { key, value: meant };
  }
}

/** Whether a value says enough to recognize a workload by: many have the label `"true"` or `v1`. */
function isWord(value: string): boolean {
  return /[a-z]{3}/i.test(value) && !/^(true|false)$/i.test(value);
}

/** `reviews-v1` and `reviews-v2` are two things. */
function differsByNumber(a: string, b: string): boolean {
  return a.replaceAll(/\d/g, '') === b.replaceAll(/\d/g, '');
}

/** Among few values the one of which one word is written in full: `mainframe-gateway` for `mainframe-gw`. */
function fullForm(value: string, values: ReadonlySet<string>): string | undefined {
  if (values.size > 50) return undefined;
  const words = value.split('-');
  return [...values].find((other) => {
    const others = other.split('-');
    const differing = words.flatMap((word, i) => (word === others[i] ? [] : [[word, others[i] ?? ''] as const]));
    const [[short, long] = ['', '']] = differing;
    return others.length === words.length && words.length > 1 && differing.length === 1 && abbreviates(short, long);
  });
}

/** The letters of the one stand in the other, in their order, from the first on. */
function abbreviates(short: string, long: string): boolean {
  if (short.length < 2 || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}
