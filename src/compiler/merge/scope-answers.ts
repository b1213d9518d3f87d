import { keptList } from '../../diagnostics/kept.ts';

/**
 * Lists by the keys of client scopes. A compilation takes over those of the one before: as they are while what they come of is
 * the same, and else as the same object where a fresh one has the same elements. Of scopes that neither asked for nothing is kept.
 */
export class ScopeAnswers<T> {
  readonly #isSame: boolean;
  readonly #before: ReadonlyMap<string, readonly T[]>;
  readonly #now = new Map<string, readonly T[]>();

  /** `isSame`: what the lists come of is as it was for `previous`. */
  constructor(previous: ScopeAnswers<T> | undefined, isSame: boolean) {
    // A compilation that failed early has asked for nothing.
    const wasAsked = previous === undefined || previous.#now.size > 0;
    this.#before = previous === undefined ? new Map() : wasAsked ? previous.#now : previous.#before;
    this.#isSame = isSame && (wasAsked || previous.#isSame);
  }

  of(key: string, make: () => readonly T[]): readonly T[] {
    const known = this.#now.get(key);
    if (known !== undefined) return known;
    const before = this.#before.get(key);
    const answer = before !== undefined && this.#isSame ? before : keptList(before, make());
    this.#now.set(key, answer);
    return answer;
  }
}
