import { visible } from '../../diagnostics/formats/visible.ts';
import { outcomeOf } from '../suite/judge.ts';
import { type CaseResult, countText, hasPassed, standingText } from '../suite/result.ts';
import { formatWays } from './text.ts';

/** Failed cases with the explanation of their requests, then the counts; with `all` also a line for each that passed. */
export function formatSuiteText(results: readonly CaseResult[], { all = false } = {}): string {
  const shown = all ? results : results.filter((result) => !hasPassed(result));
  return `${[...shown.map(formatCase), countText(results)].join('\n')}\n`;
}

function formatCase(result: CaseResult): string {
  const { file, line, ways, mismatches, proof } = result;
  const title = visible(`${result.suite} > ${result.name}`);
  const onEnvoy = proof === undefined ? '' : `; on Envoy: ${standingText(proof)}`;
  if (hasPassed(result)) return `ok     ${title}: ${[...new Set(ways.map(outcomeOf))].join(' or ')}${onEnvoy}`;
  const why = mismatches.map((mismatch) => `  ${visible(mismatch)}`);
  const explained = formatWays(ways)
    .trimEnd()
    .replaceAll(/^(?=.)/gm, '    ');
  const proved =
    proof === undefined ? [] : [`  on Envoy: ${standingText(proof)}`, proof.text.replaceAll(/^(?=.)/gm, '  ')];
  return [`FAILED ${title} (${visible(file)}:${line})`, ...why, ...proved, explained, ''].join('\n');
}
