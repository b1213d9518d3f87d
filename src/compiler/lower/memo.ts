import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { keeping } from '../../diagnostics/kept.ts';

interface Entry {
  /** The last run that asked for it. */
  run: number;
  readonly inputs: readonly object[];
  readonly value: unknown;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Remembers results by the identity of the objects they were made from, so that equal inputs give the identical result
 * and rendering can go by identity too. Results die with the first of their inputs.
 */
export class Memo {
  /** Answers kept for one first input and label; more would only hold what went out of use. */
  static readonly #variants = 32;

  readonly #entries = new WeakMap<object, Map<string, Entry[]>>();
  #run = 0;
  readonly #told = new WeakMap<DiagnosticBag, Set<Diagnostic>>();

  /**
   * Begins a run. What neither it nor the one before asks for goes when something takes its place: a listener of many
   * rules has megabytes, and its older versions are asked for no more.
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
      labels = new Map();
      this.#entries.set(inputs[0], labels);
    }
    let entries = labels.get(label) ?? [];
    let entry = entries.find((known) => keeping.isSame(label, known.inputs, inputs));
    if (entry === undefined) {
      const own = new DiagnosticBag();
      entry = { run: this.#run, inputs, value: make(own), diagnostics: own.all };
      entries = entries.filter(({ run }) => run >= this.#run - 1);
      if (entries.length === Memo.#variants) entries.shift();
      entries.push(entry);
      labels.set(label, entries);
    }
    entry.run = this.#run;
    this.#replay(entry, bag);
    return entry.value as T;
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
