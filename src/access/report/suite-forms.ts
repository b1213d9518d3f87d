import { markdownCell } from '../../diagnostics/formats/markdown-cell.ts';
import { visible } from '../../diagnostics/formats/visible.ts';
import { outcomeOf } from '../suite/judge.ts';
import { type CaseResult, countText, faultsOf, hasPassed, standingText } from '../suite/result.ts';

/** JSON with a format number: the numbers of passed and failed cases, and each case with its ways. */
export function formatSuiteJson(results: readonly CaseResult[]): string {
  const passed = results.filter(hasPassed).length;
  const cases = results.map(({ proof, ...result }) => ({
    ...result,
    ...(proof !== undefined && { onEnvoy: { standing: proof.standing, ...proof.details } }),
    passed: hasPassed({ ...result, ...(proof !== undefined && { proof }) }),
  }));
  return `${JSON.stringify({ format: 1, passed, failed: results.length - passed, cases }, undefined, 2)}\n`;
}

/** A table of the failed cases for a comment on a change. */
export function formatSuiteMarkdown(results: readonly CaseResult[]): string {
  const failed = results.filter((result) => !hasPassed(result));
  const rows = failed.map((result) => {
    const { suite, name, file, line } = result;
    return `| ${[`${suite} > ${name}`, `${file}:${line}`, faultsOf(result).join('; ')].map(markdownCell).join(' | ')} |`;
  });
  const table = rows.length === 0 ? [] : ['', '| case | place | why |', '|---|---|---|', ...rows];
  return [`**meshpol test: ${countText(results)}**`, ...table, ''].join('\n');
}

/** Annotations of GitHub's workflows: an error at the line of each failed case. */
export function formatSuiteGithub(results: readonly CaseResult[]): string {
  return results
    .filter((result) => !hasPassed(result))
    .map((result) => {
      const { suite, name, file, line } = result;
      const title = escapeProperty(visible(`${suite} > ${name}`));
      return `::error file=${escapeProperty(file)},line=${line},title=${title}::${escapeText(faultsOf(result).map(visible).join('\n'))}\n`;
    })
    .join('');
}

/** JUnit's XML: a suite for each PolicyTest, a test case for each case. */
export function formatSuiteJunit(results: readonly CaseResult[], escapeMarkup: (text: string) => string): string {
  const suites = new Map<string, CaseResult[]>();
  for (const result of results) suites.set(result.suite, [...(suites.get(result.suite) ?? []), result]);
  const attributes = (values: Readonly<Record<string, string | number>>): string =>
    Object.entries(values)
      .map(([name, value]) => `${name}="${escapeMarkup(String(value))}"`)
      .join(' ');
  const counts = (of: readonly CaseResult[]) => ({
    ...{ tests: of.length, failures: of.filter((result) => !hasPassed(result)).length, errors: 0, skipped: 0 },
  });
  const caseOf = (result: CaseResult): string => {
    const { suite, name, file, line, ways, proof } = result;
    const head = attributes({ classname: suite, name, file, line });
    const [message = ''] = faultsOf(result);
    const text = [...faultsOf(result), ...ways.map((way) => `outcome: ${outcomeOf(way)}`)].join('\n');
    const failure = `      <failure ${attributes({ message })}>${escapeMarkup(text)}</failure>\n`;
    const seen = proof && `on Envoy: ${standingText(proof)}\n${proof.text}`;
    const inside = [
      ...(hasPassed(result) ? [] : [failure]),
      ...(seen === undefined ? [] : [`      <system-out>${escapeMarkup(seen)}</system-out>\n`]),
    ].join('');
    return inside === '' ? `    <testcase ${head}/>\n` : `    <testcase ${head}>\n${inside}    </testcase>\n`;
  };
  const parts = [...suites].map(
    ([name, own]) =>
      `  <testsuite ${attributes({ name, ...counts(own) })}>\n${own.map(caseOf).join('')}  </testsuite>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${attributes(counts(results))}>\n${parts.join('')}</testsuites>\n`;
}

function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
