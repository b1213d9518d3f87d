import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { keeping } from '../../diagnostics/kept.ts';

interface Entry {
  /** The last run that asked for it. */
  run: number;
  readonly inputs: readonly object[];
  readonly value: unknown;
  readonly diagnostics: readonly Diagnostic[];
}

interface Labels {
  readonly entries: Map<string, Entry[]>;
  /** With more labels the old ones are looked for. */
  limit: number;
}

/**
 * Remembers results by the identity of the objects they were made from, so that equal inputs give the identical result
 * and rendering can go by identity too. Results die with the first of their inputs.
 */
export class Memo {
  /** Answers kept for one first input and label; more would only hold what went out of use. */
  static readonly #variants = 32;
  /** With more labels of one first input than this, those that are asked for no more go. */
  static readonly #fewLabels = 16;

  readonly #entries = new WeakMap<object, Labels>();
  #run = 0;
  readonly #told = new WeakMap<DiagnosticBag, Set<Diagnostic>>();

  /**
   * Begins a run. What neither it nor the one before asks for goes when something takes its place, or when the labels of one
   * input have doubled: a listener of many rules has megabytes, and its older versions are asked for no more.
   */
  nextRun(): void {
    this.#run++;
  }

  /** `label` tells results of the same inputs apart and carries every input that is no object. */
  of<T>(
    inputs: readonly [object, ...(readonly object[])],
    label: string,
    bag: DiagnosticBag,
    make: (bag: DiagnosticBag) => T,
  ): T {
    let labels = this.#entries.get(inputs[0]);
    if (labels === undefined) {
      labels = { entries: new Map(), limit: Memo.#fewLabels };
      this.#entries.set(inputs[0], labels);
    }
    let entries = labels.entries.get(label) ?? [];
    let entry = entries.find((known) => keeping.isSame(label, known.inputs, inputs));
    if (entry === undefined) {
      const own = new DiagnosticBag();
      entry = { run: this.#run, inputs, value: make(own), diagnostics: own.all };
      entries = this.#asked(entries);
      if (entries.length === Memo.#variants) entries.shift();
      entries.push(entry);
      labels.entries.set(label, entries);
      if (labels.entries.size > labels.limit) this.#sweep(labels);
    }
    entry.run = this.#run;
    this.#replay(entry, bag);
    return entry.value as T;
  }

  /** Those that this run or the one before asked for. */
  #asked(entries: readonly Entry[]): Entry[] {
    return entries.filter(({ run }) => run >= this.#run - 1);
  }

  #sweep(labels: Labels): void {
    for (const [label, entries] of labels.entries) {
      if (this.#asked(entries).length === 0) labels.entries.delete(label);
    }
    labels.limit = Math.max(Memo.#fewLabels, 2 * labels.entries.size);
  }

  /** Many proxies share one result; a bag hears of its faults once. */
  #replay(entry: Entry, bag: DiagnosticBag): void {
    if (entry.diagnostics.length === 0) return;
    let told = this.#told.get(bag);
    if (told === undefined) {
      told = new Set();
      this.#told.set(bag, told);
    }
    for (const diagnostic of entry.diagnostics) {
      if (told.has(diagnostic)) continue;
      told.add(diagnostic);
      bag.addAll([diagnostic]);
    }
  }
}
