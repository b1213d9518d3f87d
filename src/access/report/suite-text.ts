import { outcomeOf } from '../suite/judge.ts';
import { type CaseResult, countText, hasPassed } from '../suite/result.ts';
import { formatWays } from './text.ts';

/** Failed cases with the explanation of their requests, then the counts; with `all` also a line for each that passed. */
export function formatSuiteText(results: readonly CaseResult[], { all = false } = {}): string {
  const shown = all ? results : results.filter((result) => !hasPassed(result));
  return `${[...shown.map(formatCase), countText(results)].join('\n')}\n`;
}

function formatCase(result: CaseResult): string {
  const { suite, name, file, line, ways, mismatches } = result;
  if (hasPassed(result)) return `ok     ${suite} > ${name}: ${[...new Set(ways.map(outcomeOf))].join(' or ')}`;
  const why = mismatches.map((mismatch) => `  ${mismatch}`);
  const explained = formatWays(ways)
    .trimEnd()
    .replaceAll(/^(?=.)/gm, '    ');
  return [`FAILED ${suite} > ${name} (${file}:${line})`, ...why, explained, ''].join('\n');
}
