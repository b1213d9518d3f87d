import type { JsonPath } from '../../diagnostics/span.ts';
import { BlockCover } from '../authorization/block-cover.ts';
import { allRulesOf, fieldsOf, type RuleAt } from '../authorization/walk.ts';
import type { Rule, Sighting } from '../rule.ts';

const fieldPairs = [
  ['ipBlocks', 'notIpBlocks'],
  ['remoteIpBlocks', 'notRemoteIpBlocks'],
] as const;

const isAddressKey = /^(source|remote|destination)\.ip$/;

/** A block that another block of the same list contains, or that the exceptions beside it take away. */
export const rule: Rule = {
  code: 'address-block-within-block',
  id: 'MP418',
  severity: 'warning',
  category: 'matching',
  direction: 'none',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an address block that lies within another block of the same source or condition',
  why: 'the block has no effect of its own: removing it does not change which addresses the rule matches',
  hint: 'remove the block, or narrow the wider one if it contains more addresses than meant',
  check({ snapshot, report }) {
    for (const at of allRulesOf(snapshot)) {
      for (const sighting of ofRule(at)) report(sighting);
    }
  },
};

function* ofRule(at: RuleAt): Iterable<Sighting> {
  for (const { fields, path } of fieldsOf(at.rule, at.path)) {
    for (const [plain, except] of pairsOf(at, path)) {
      const excepted = coverOf(fields[except] ?? []);
      yield* within(at, [...path, except], fields[except] ?? [], excepted);
      const values = fields[plain] ?? [];
      const own = coverOf(values);
      for (const [i, value] of values.entries()) {
        const outer = excepted.around(value);
        if (outer === undefined) continue;
        const message = `"${value}" matches nobody: "${except}" excludes "${fields[except]?.[outer]}"`;
        const sighting = sightingOf(at, [...path, plain, i], message, [...path, except, outer]);
        yield { ...sighting, hint: 'correct one of the two blocks, so that the exception leaves a part of the other' };
      }
      yield* within(at, [...path, plain], values, own);
    }
  }
}

/** The fields of addresses, each with that of its exceptions. */
function pairsOf({ rule: { when = [] } }: RuleAt, path: JsonPath): readonly (readonly [string, string])[] {
  const [holder, index] = path.slice(3);
  if (holder !== 'when') return fieldPairs;
  return isAddressKey.test(when[Number(index)]?.key ?? '') ? [['values', 'notValues']] : [];
}

function* within(at: RuleAt, path: JsonPath, values: readonly string[], cover: BlockCover): Iterable<Sighting> {
  for (const [i, value] of values.entries()) {
    const outer = cover.around(value, i);
    if (outer === undefined) continue;
    yield sightingOf(at, [...path, i], `"${value}" lies within "${values[outer]}" of the same list`, [...path, outer]);
  }
}

function coverOf(values: readonly string[]): BlockCover {
  const cover = new BlockCover();
  for (const [i, value] of values.entries()) cover.add(value, i);
  return cover;
}

function sightingOf({ policy }: RuleAt, path: JsonPath, message: string, outer: JsonPath): Sighting {
  return { object: policy, path, message, related: [{ object: policy, path: outer, message: 'the wider block' }] };
}
