import { append } from './append.ts';
import { nearest } from './nearest.ts';

/** An unknown name is compared with each of so many names; of more, with those that one letter tells apart. */
const fewNames = 50;

/**
 * Names among which the one is found that a mistyped name was meant to be, in a time that does not grow with their number:
 * thousands of unknown names may be asked for among thousands of known ones.
 */
export class NearNames {
  readonly #names: readonly string[];
  readonly #answers = new Map<string, string | undefined>();
  #byOtherLetters: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(names: Iterable<string>) {
    this.#names = [...new Set(names)];
  }

  /** As `nearest` finds it; among many names, one with a letter more, less, other or swapped with its neighbour. */
  nearest(text: string): string | undefined {
    if (this.#answers.has(text)) return this.#answers.get(text);
    const near = this.#names.length <= fewNames ? nearest(text, this.#names) : this.#oneLetterOff(text);
    this.#answers.set(text, near);
    return near;
  }

  #oneLetterOff(text: string): string | undefined {
    this.#byOtherLetters ??= withoutOneLetter(this.#names);
    const found = new Set<string>();
    for (const shorter of shortened(text)) {
      for (const name of this.#byOtherLetters.get(shorter) ?? []) found.add(name);
    }
    // Two names that lack one letter each may still differ by two.
    const near = nearest(text, found);
    return near !== undefined && isOneLetterOff(text.toLowerCase(), near.toLowerCase()) ? near : undefined;
  }
}

/** Names by themselves and by what is left of them without each of their letters: any two that one letter tells apart meet. */
function withoutOneLetter(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const name of names) for (const shorter of shortened(name)) append(found, shorter, name);
  return found;
}

function shortened(name: string): ReadonlySet<string> {
  const text = name.toLowerCase();
  return new Set([text, ...Array.from(text, (_, i) => text.slice(0, i) + text.slice(i + 1))]);
}

/** Whether what stands between the letters that both begin and end with is one letter at most, or two that are swapped. */
export function isOneLetterOff(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return Math.max(left.length, right.length) <= 1 || (left.length === 2 && right === `${left[1]}${left[0]}`);
}
