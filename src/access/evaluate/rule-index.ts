import type { AccessRule, AccessRules } from '../lift/rbac.ts';
import { isBlank } from './blank-leaves.ts';
import type { RequestView } from './request-view.ts';
import type { RuleKey } from './rule-key.ts';
import { keysOf } from './rule-keys.ts';

/** A rule, and how many come before it. */
export interface PlacedRule {
  readonly rule: AccessRule;
  readonly place: number;
}

type Rules = AccessRules['rules'];

const indexes = new WeakMap<Rules, RuleIndex>();

/** Those of an access filter's rules that a request may meet, in their order. All that are left out are known not to hold. */
export function rulesFor(rules: Rules, view: RequestView): readonly PlacedRule[] {
  let index = indexes.get(rules);
  if (index === undefined) {
    index = new RuleIndex(rules);
    indexes.set(rules, index);
  }
  return index.rulesFor(view);
}

/** Rules by a text that a request must have to meet them: its path, the client's identity and the like. */
class RuleIndex {
  /** Rules that no text finds. */
  readonly #others: PlacedRule[] = [];
  readonly #shelves: readonly Shelf[];
  /** By the name of a header, lower case: the rules that compare its text. */
  readonly #readers = new Map<string, PlacedRule[]>();

  constructor(rules: Rules) {
    const keys = keysOf(rules);
    const shelves = new Map<string, Shelf>();
    for (const [place, rule] of rules.entries()) {
      const placed = { rule, place };
      const own = keys[place];
      if (own === undefined) this.#others.push(placed);
      else for (const name of rule.readsHeaders) addOnce(this.#readers, name, placed);
      for (const key of own ?? []) {
        const shelf = shelves.get(key.reading) ?? new Shelf(key);
        shelves.set(key.reading, shelf);
        shelf.add(key.text, placed);
      }
    }
    this.#shelves = [...shelves.values()];
  }

  rulesFor(view: RequestView): readonly PlacedRule[] {
    let found: readonly PlacedRule[] = this.#others;
    for (const shelf of this.#shelves) found = merged(found, shelf.rulesFor(view));
    if (this.#readers.size === 0 || view.blanks !== undefined) return found;
    for (const name of view.opaque) found = merged(found, this.#readers.get(name) ?? none);
    return found;
  }
}

const none: readonly PlacedRule[] = [];

/** Rules whose texts are read from a request in the same way. */
class Shelf {
  readonly #key: RuleKey;
  readonly #byText = new Map<string, PlacedRule[]>();
  readonly #all: PlacedRule[] = [];

  constructor(key: RuleKey) {
    this.#key = key;
  }

  add(text: string, placed: PlacedRule): void {
    addOnce(this.#byText, text, placed);
    if (this.#all.at(-1) !== placed) this.#all.push(placed);
  }

  rulesFor(view: RequestView): readonly PlacedRule[] {
    // What is not known of a request may be any text.
    if (view.blanks !== undefined && isBlank(this.#key.leaf, view)) return this.#all;
    const texts = this.#key.read(view);
    if (typeof texts === 'string') return this.#byText.get(texts) ?? none;
    let found = none;
    for (const text of texts) found = merged(found, this.#byText.get(text) ?? none);
    return found;
  }
}

function addOnce(index: Map<string, PlacedRule[]>, text: string, placed: PlacedRule): void {
  const known = index.get(text);
  if (known === undefined) index.set(text, [placed]);
  else if (known.at(-1) !== placed) known.push(placed);
}

/** Both lists in the order of their places, each rule once. */
function merged(a: readonly PlacedRule[], b: readonly PlacedRule[]): readonly PlacedRule[] {
  if (a.length === 0 || a === b) return b;
  if (b.length === 0) return a;
  const found: PlacedRule[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [left, right] = [a[i], b[j]];
    const next = right === undefined || (left !== undefined && left.place <= right.place) ? left : right;
    if (next === left) i++;
    if (next === right) j++;
    if (next !== undefined) found.push(next);
  }
  return found;
}
