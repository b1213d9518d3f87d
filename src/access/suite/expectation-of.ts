import { type ExplainedWay, lastStep } from '../explanation.ts';
import { keyOf } from '../world.ts';
import { type Expected, mismatches } from './judge.ts';

/** What all ways of a request have in common, as a case would expect it; undefined where nothing says it, or something is not understood. */
export function expectationOf(ways: readonly ExplainedWay[]): Expected | undefined {
  const [first] = ways;
  const expected = first && expectationOfWay(first, ways);
  return expected !== undefined && mismatches(ways, expected).length === 0 ? expected : undefined;
}

function expectationOfWay(
  { outcome, target, legs }: ExplainedWay,
  ways: readonly ExplainedWay[],
): Expected | undefined {
  switch (outcome.kind) {
    case 'answered': {
      const [decider] = lastStep(legs)?.decidedBy ?? [];
      const { status, grpcStatus } = outcome;
      const object =
        decider && `${decider.kind} ${decider.namespace === '' ? '' : `${decider.namespace}/`}${decider.name}`;
      const field = decider !== undefined && /\d\]$/.test(decider.field) ? ` ${decider.field}` : '';
      return {
        status,
        ...(grpcStatus !== undefined && { grpcStatus }),
        ...(object !== undefined && { by: `${object}${field}` }),
      };
    }
    case 'reaches':
      return target === undefined ? undefined : { reaches: keyOf(target) };
    case 'closed': {
      const codes = ways.flatMap((way) => (way.outcome.kind === 'closed' ? way.outcome.exitCodes : []));
      const all = [...new Set(codes)].sort((a, b) => a - b);
      return { exit: all.length === 1 ? (all[0] ?? 0) : all };
    }
    case 'reset':
      return { exit: 92 };
    case 'unmodelled':
      return undefined;
  }
}
