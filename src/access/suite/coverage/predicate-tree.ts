import type { RulePredicates } from '../../../contracts/rule-predicates.ts';
import type { JsonPath } from '../../../diagnostics/span.ts';
import { holds } from '../../evaluate/holds.ts';
import type { RequestView } from '../../evaluate/request-view.ts';
import { type Condition, liftCondition } from '../../lift/rbac.ts';

/** The predicates of a rule, read as Envoy reads them. */
export type PredicateTree = { readonly kind: 'all' | 'some'; readonly of: readonly PredicateTree[] } | PredicateLeaf;

interface PredicateLeaf {
  readonly kind: 'predicate';
  readonly path: JsonPath;
  readonly condition: Condition;
}

export function liftPredicates(written: RulePredicates): PredicateTree {
  if (written.kind !== 'predicate') return { kind: written.kind, of: written.of.map(liftPredicates) };
  return { kind: 'predicate', path: written.path, condition: liftCondition(written.policy) };
}

/** All leaves, in the order of the rule. */
export function leavesOf(tree: PredicateTree): readonly PredicateLeaf[] {
  return tree.kind === 'predicate' ? [tree] : tree.of.flatMap(leavesOf);
}

/** What a request shows of a rule. */
export interface SeenPredicates {
  readonly isMatched: boolean;
  /** Of a rule that matches: those that hold, of alternatives that hold. */
  readonly true: readonly JsonPath[];
  /** Of a rule that doesn't: each by which alone it would match. */
  readonly false: readonly JsonPath[];
}

/** Looks at all predicates of a rule at once. */
export function seePredicates(tree: PredicateTree, view: RequestView): SeenPredicates {
  const judged = judgeTree(tree, view);
  const found: JsonPath[] = [];
  if (judged.value) collectTrue(judged, found);
  else collectFalse(judged, found);
  return { isMatched: judged.value, true: judged.value ? found : [], false: judged.value ? [] : found };
}

interface Judged {
  readonly tree: PredicateTree;
  readonly of: readonly Judged[];
  readonly value: boolean;
}

function judgeTree(tree: PredicateTree, view: RequestView): Judged {
  if (tree.kind === 'predicate') return { tree, of: [], value: holds(tree.condition, view) };
  const of = tree.of.map((member) => judgeTree(member, view));
  const value = tree.kind === 'all' ? of.every((one) => one.value) : of.some((one) => one.value);
  return { tree, of, value };
}

function collectTrue({ tree, of }: Judged, found: JsonPath[]): void {
  if (tree.kind === 'predicate') found.push(tree.path);
  for (const member of of) if (member.value) collectTrue(member, found);
}

/** Of a part that is false, and whose being true would let the rule match. */
function collectFalse({ tree, of }: Judged, found: JsonPath[]): void {
  if (tree.kind === 'predicate') found.push(tree.path);
  const failing = of.filter(({ value }) => !value);
  if (tree.kind === 'all' && failing.length > 1) return;
  for (const member of failing) collectFalse(member, found);
}
