import { append } from './append.ts';
import { nearest } from './nearest.ts';

/**
 * Names of one kind, among which the one is found that an unknown name was meant to be. Thousands of policies may ask for
 * the same few: each name is looked for once, and among those that have all its words but one.
 */
export class KnownNames {
  readonly #names = new Set<string>();
  readonly #answers = new Map<string, string | undefined>();
  #index: NameIndex | undefined;

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.add(name);
  }

  add(name: string): void {
    this.#names.add(name);
    this.#answers.clear();
    this.#index = undefined;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /**
   * The known name that an unknown one was meant to be, where that is likelier than that the input leaves it out: one word
   * of it is spelt wrong, or its dashes are. Names that people number or letter (`team-a`, `team-b`, `db1`, `db2`) are
   * different names, and so are those of opposite sense (`ingress`, `egress`).
   */
  meantBy(name: string): string | undefined {
    if (this.#answers.has(name)) return this.#answers.get(name);
    this.#index ??= new NameIndex(this.#names);
    const meant = this.#index.respaced(name) ?? nearest(name, this.#index.oneWordOff(name));
    this.#answers.set(name, meant);
    return meant;
  }
}

/** The names known of each namespace. */
export function namesByNamespace(
  named: Iterable<{ readonly namespace: string; readonly name: string }>,
): ReadonlyMap<string, KnownNames> {
  const byNamespace = new Map<string, KnownNames>();
  for (const { namespace, name } of named) {
    const known = byNamespace.get(namespace) ?? new KnownNames();
    byNamespace.set(namespace, known);
    known.add(name);
  }
  return byNamespace;
}

/** A word of a name, and where the name stands among all. */
interface WordOf {
  readonly name: string;
  readonly word: string;
  readonly order: number;
}

/** Names by their letters alone, and by all their words but one. */
class NameIndex {
  readonly #byLetters = new Map<string, string>();
  readonly #byOtherWords = new Map<string, WordOf[]>();

  constructor(names: Iterable<string>) {
    let order = 0;
    for (const name of names) {
      const letters = lettersOf(name);
      if (!this.#byLetters.has(letters)) this.#byLetters.set(letters, name);
      for (const { word, others } of wordsOf(name)) append(this.#byOtherWords, others, { name, word, order });
      order += 1;
    }
  }

  /** The first name that differs by dashes and capitals alone. */
  respaced(name: string): string | undefined {
    return this.#byLetters.get(lettersOf(name));
  }

  /** The names of which one word is another, and near; in their order. */
  oneWordOff(name: string): readonly string[] {
    return wordsOf(name)
      .flatMap(({ word, others }) => (this.#byOtherWords.get(others) ?? []).filter((other) => isNear(word, other.word)))
      .sort((a, b) => a.order - b.order)
      .map((other) => other.name);
  }
}

function lettersOf(name: string): string {
  return name.replaceAll(/[-_.]/g, '').toLowerCase();
}

/** Each word of a name with the others and its place among them. */
function wordsOf(name: string): readonly { readonly word: string; readonly others: string }[] {
  const words = name.split('-');
  return words.map((word, i) => ({ word, others: JSON.stringify([i, ...words.toSpliced(i, 1)]) }));
}

function isNear(word: string, other: string): boolean {
  if (word === other || word.length <= 3) return false;
  const [sense, otherSense] = [directionOf(word), directionOf(other)];
  if (sense !== undefined && otherSense !== undefined && sense !== otherSense) return false;
  return withoutDigits(word) !== withoutDigits(other) && nearest(word, [other]) !== undefined;
}

/** Words of opposite sense that few letters tell apart: a mesh has both. */
function directionOf(word: string): string | undefined {
  return /ingress|egress|internal|external|inbound|outbound|import|export/.exec(word)?.[0];
}

function withoutDigits(text: string): string {
  return text.replaceAll(/\d/g, '');
}
