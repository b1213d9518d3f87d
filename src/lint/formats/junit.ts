import type { LintReport, ReportedFinding } from '../report.ts';
import { allRules } from '../rule-index.ts';
import { escapeMarkup } from './markup.ts';
import { whyNotChecked } from './summary.ts';

/** JUnit's XML: a test case a finding, one that passed for each rule without a finding, one skipped for what was not checked. */
export function formatJunit({ findings, notChecked, isFaulty }: LintReport): string {
  const silent = new Set([...findings.map(({ placed }) => placed.code), ...notChecked.map(({ code }) => code)]);
  const passed = isFaulty ? [] : allRules.filter(({ code }) => !silent.has(code));
  const cases = [
    ...findings.map(failure),
    ...notChecked.map(({ code, count }) => skipped(code, count, whyNotChecked({ isFaulty }))),
    ...passed.map(({ code, title }) => `    <testcase ${attributes({ classname: code, name: title })}/>\n`),
  ];
  const counts = { tests: cases.length, failures: findings.length, errors: 0, skipped: notChecked.length };
  const suite = `  <testsuite ${attributes({ name: 'meshpol lint', ...counts })}>\n${cases.join('')}  </testsuite>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${attributes(counts)}>\n${suite}</testsuites>\n`;
}

function failure({ placed }: ReportedFinding): string {
  const { code, severity, message, place, why, hint } = placed;
  const at = place === undefined ? '' : `${place.file}:${place.start.line}:${place.start.column}`;
  const lines = [at, message, why && `why: ${why}`, hint && `hint: ${hint}`].filter(Boolean).join('\n');
  const name = at === '' ? message : `${at}: ${message}`;
  const file = place === undefined ? {} : { file: place.file, line: place.start.line };
  return `    <testcase ${attributes({ classname: code, name, ...file })}>
      <failure ${attributes({ type: severity, message })}>${escapeMarkup(lines)}</failure>
    </testcase>
`;
}

function skipped(code: string, count: number, why: string): string {
  const message = `${why}: ${count} ${count === 1 ? 'object' : 'objects'}`;
  return `    <testcase ${attributes({ classname: code, name: 'not checked' })}>
      <skipped ${attributes({ message })}/>
    </testcase>
`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeMarkup(String(value))}"`)
    .join(' ');
}
