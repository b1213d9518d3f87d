import { compareStrings } from '../../lib/sort.ts';
import { utf8Length } from '../../lib/utf8.ts';
import type { PublishedKeySet, PublishedSets } from './published-keys.ts';

/** A server refuses objects of more than a MiB. */
const longestText = 900_000;
/** One set with its name: no issuer takes the room of all others. */
const longestSet = 65_536;

export interface FittingSets {
  readonly sets: PublishedSets;
  /** Sources of the sets that have no room, by name. */
  readonly leftOut: readonly string[];
}

/** What one ConfigMap has room for, the smallest sets first; lengths are bytes of JSON. */
export function fittingSets(all: PublishedSets): FittingSets {
  const sets = new Map<string, PublishedKeySet>();
  const leftOut: string[] = [];
  const bySize = [...all]
    .map(([name, set]) => ({ name, set, length: lengthOf(name, set) }))
    .sort((a, b) => a.length - b.length || compareStrings(a.name, b.name));
  let total = '{}'.length;
  for (const { name, set, length } of bySize) {
    if (length <= longestSet && total + length <= longestText) {
      sets.set(name, set);
      total += length;
    } else leftOut.push(name);
  }
  return { sets, leftOut };
}

function lengthOf(name: string, set: PublishedKeySet): number {
  return utf8Length(`${JSON.stringify(name)}:${JSON.stringify(set)},`);
}
