import type { Condition, Leaf } from '../lift/rbac.ts';
import { hasIdentity, headerHolds, leafHolds } from './conditions.ts';
import type { RequestView } from './request-view.ts';

/** Says whether a request of which everything is known meets a condition. */
export type ConditionTest = (view: RequestView) => boolean;

const tests = new WeakMap<Condition, ConditionTest>();

/** The test of a condition, made once: a request is tried against hundreds of them. */
export function testOf(condition: Condition): ConditionTest {
  let test = tests.get(condition);
  if (test === undefined) {
    test = newTest(condition);
    tests.set(condition, test);
  }
  return test;
}

const always: ConditionTest = () => true;

function newTest(condition: Condition): ConditionTest {
  switch (condition.kind) {
    case 'any':
      return always;
    case 'all':
      return allOf(condition.of);
    case 'some':
      return someOf(condition.of);
    case 'not': {
      const test = newTest(condition.of);
      return (view) => !test(view);
    }
    default:
      return leafTest(condition);
  }
}

/** What costs least is asked first: no test has an effect. */
function allOf(conditions: readonly Condition[]): ConditionTest {
  const parts = conditions
    .flatMap(membersOf)
    .sort((a, b) => costOf(a) - costOf(b))
    .map(newTest)
    .filter((test) => test !== always);
  const [first, second, ...others] = parts;
  if (first === undefined) return always;
  if (second === undefined) return first;
  if (others.length === 0) return (view) => first(view) && second(view);
  return (view) => {
    for (const test of parts) if (!test(view)) return false;
    return true;
  };
}

/** Those of all that are in it, however deep. */
function membersOf(condition: Condition): readonly Condition[] {
  return condition.kind === 'all' ? condition.of.flatMap(membersOf) : [condition];
}

function someOf(conditions: readonly Condition[]): ConditionTest {
  const parts = conditions.map(newTest);
  if (parts.includes(always)) return always;
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  return (view) => {
    for (const test of parts) if (test(view)) return true;
    return false;
  };
}

function costOf(condition: Condition): number {
  switch (condition.kind) {
    case 'all':
    case 'some':
      return Math.max(0, ...condition.of.map(costOf));
    case 'not':
      return costOf(condition.of);
    default:
      return costs[condition.kind];
  }
}

const costs: Readonly<Record<Leaf['kind'] | 'any', number>> = {
  any: 0,
  'destination-port': 0,
  identity: 1,
  'server-name': 1,
  path: 2,
  'direct-remote-ip': 3,
  'destination-ip': 3,
  'remote-ip': 3,
  header: 4,
  metadata: 4,
  'path-template': 5,
};

function leafTest(leaf: Leaf): ConditionTest {
  switch (leaf.kind) {
    case 'header': {
      const { header } = leaf;
      return (view) => headerHolds(header, view.lines(header.name));
    }
    case 'identity': {
      const { match } = leaf;
      return (view) => hasIdentity(match, view.connection.tls);
    }
    case 'path': {
      const { match } = leaf;
      return (view) => match.matches(view.barePath);
    }
    default:
      return (view) => leafHolds(leaf, view);
  }
}
