import type { Condition } from '../lift/rbac.ts';
import { isBlank, questionOf } from './blank-leaves.ts';
import type { Blanks } from './blanks.ts';
import { testOf } from './condition-test.ts';
import { leafHolds } from './conditions.ts';
import type { RequestView } from './request-view.ts';

/** Whether a request meets a condition of an access rule. */
export function holds(condition: Condition, view: RequestView): boolean {
  return view.blanks === undefined ? testOf(condition)(view) : isMetOrAssumed(condition, view, view.blanks);
}

/** What is known decides first; only where it does not, the rest is assumed. */
function isMetOrAssumed(condition: Condition, view: RequestView, blanks: Blanks): boolean {
  const known = knownTruth(condition, view);
  if (known !== undefined) return known;
  if (blanks.isCoarse) return blanks.ask('a rule', JSON.stringify(openPart(condition, view)));
  switch (condition.kind) {
    case 'any':
      return true;
    case 'all':
      return condition.of.every((member) => isMetOrAssumed(member, view, blanks));
    case 'some':
      return condition.of.some((member) => isMetOrAssumed(member, view, blanks));
    case 'not':
      return !isMetOrAssumed(condition.of, view, blanks);
    default:
      return blanks.ask(...questionOf(condition, view));
  }
}

/** Undefined where it depends on what is not known: one condition that fails is enough for several that must all hold. */
export function knownTruth(condition: Condition, view: RequestView): boolean | undefined {
  switch (condition.kind) {
    case 'any':
      return true;
    case 'all':
    case 'some': {
      const decisive = condition.kind === 'some';
      let isOpen = false;
      for (const member of condition.of) {
        const truth = knownTruth(member, view);
        if (truth === decisive) return decisive;
        isOpen ||= truth === undefined;
      }
      return isOpen ? undefined : !decisive;
    }
    case 'not': {
      const truth = knownTruth(condition.of, view);
      return truth === undefined ? undefined : !truth;
    }
    default:
      return isBlank(condition, view) ? undefined : leafHolds(condition, view);
  }
}

/** What is left of a condition of which neither is known: equal where the same is asked of the same. */
function openPart(condition: Condition, view: RequestView): unknown {
  switch (condition.kind) {
    case 'any':
      throw new Error('it is always met');
    case 'all':
    case 'some': {
      const open = condition.of.filter((member) => knownTruth(member, view) === undefined);
      const parts = open.map((member) => openPart(member, view));
      return parts.length === 1 ? parts[0] : { [condition.kind]: parts };
    }
    case 'not':
      return { not: openPart(condition.of, view) };
    default:
      return questionOf(condition, view);
  }
}
