import type { ObjectReport } from './object-report.ts';

/** Holds the reports of objects whose status is written, and which of them have changed. */
export class StatusBook {
  readonly #reports = new Map<string, ObjectReport>();
  readonly #changed = new Set<string>();

  get(path: string): ObjectReport | undefined {
    return this.#reports.get(path);
  }

  get paths(): Iterable<string> {
    return this.#reports.keys();
  }

  take(changed: readonly ObjectReport[], removed: readonly string[]): void {
    for (const report of changed) {
      this.#reports.set(report.path, report);
      this.#changed.add(report.path);
    }
    for (const path of removed) this.#reports.delete(path);
  }

  /** A report is so now by what was written; it counts as known. */
  amend(report: ObjectReport): void {
    this.#reports.set(report.path, report);
  }

  /** Another thread tells anew. */
  clear(): void {
    this.#reports.clear();
  }

  /** Paths of those that are others since the last call. */
  takeChanged(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }
}
