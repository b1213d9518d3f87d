/** Faults that callers of the status port meet again and again: anybody could fill the log with them. */
export class FaultMemory {
  readonly #reasons = new Map<string, string>();

  /** Whether `reason` is another one for `what` than the last; undefined is none, and none is expected at first. */
  isNews(what: string, reason: string | undefined): boolean {
    if (this.#reasons.get(what) === reason) return false;
    if (reason === undefined) this.#reasons.delete(what);
    else this.#reasons.set(what, reason);
    return true;
  }
}
