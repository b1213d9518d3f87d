import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { formatGithub } from '../../diagnostics/formats/github.ts';
import { formatBlocks } from '../../diagnostics/formats/text.ts';
import { textOf } from '../../output/format.ts';
import type { LintReport } from '../report.ts';
import { allRules } from '../rule-index.ts';
import { sampleReport } from '../testing/sample-report.ts';
import { formatGitlab } from './gitlab.ts';
import { formatHtml } from './html.ts';
import { formatLintJson, lintJson } from './json.ts';
import { formatJunit } from './junit.ts';
import { formatMarkdown } from './markdown.ts';
import { formatSarif } from './sarif.ts';

const report = sampleReport();
const empty = { ...report, findings: [], notChecked: [] };

/** Names of the tags in their order, `/name` for a closing one; what closes itself opens and closes. */
function tagsOf(text: string): string[] {
  return [...text.matchAll(/<(\/?)([a-z0-9]+)(?:"[^"]*"|[^">])*?(\/?)>/g)].flatMap(([, end, name = '', own]) =>
    own ? [name, `/${name}`] : [`${end}${name}`],
  );
}

/** Whether each tag is closed where it should be. */
function isNested(text: string, open: readonly string[] = []): boolean {
  const stack: string[] = [];
  for (const tag of tagsOf(text)) {
    if (open.includes(tag)) continue;
    if (!tag.startsWith('/')) stack.push(tag);
    else if (stack.pop() !== tag.slice(1)) return false;
  }
  return stack.length === 0;
}

describe('the sample', () => {
  test('has findings with a fix, with a related place, and rules that were not checked', () => {
    expect(report.findings.map(({ placed }) => placed.code)).toEqual([
      'method-in-wrong-case',
      'rule-within-rule',
      'method-in-wrong-case',
    ]);
    expect(report.findings.some(({ placed }) => placed.related.length > 0)).toBe(true);
    expect(report.notChecked.map(({ code }) => code)).toContain('unknown-source-namespace');
  });
});

describe('formatSarif', () => {
  test.each([
    ['findings', report],
    ['none', empty],
  ])('gives, with %s, what the published schema of SARIF 2.1.0 holds for', (_, it) => {
    // Of draft 4, which names its two own words otherwise and is the same in what this schema uses.
    const { $schema: _draft, id: _id, ...schema } = JSON.parse(readFileSync('.tools/sarif-2.1.0.json', 'utf8'));
    const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
    validate(JSON.parse(formatSarif(it)));
    expect(validate.errors).toBeNull();
    expect(validate({ version: '2.1.0', runs: [{ tool: { driver: {} } }] })).toBe(false);
  });

  test('names every rule once, and each result its rule, its place, its fingerprint and its fix', () => {
    const [{ tool, results }] = JSON.parse(formatSarif(report)).runs;
    expect(tool.driver.rules.slice(0, allRules.length).map(({ id }: { id: string }) => id)).toEqual(
      allRules.map(({ code }) => code),
    );
    const [first, second] = results;
    expect(tool.driver.rules[first.ruleIndex].id).toBe(first.ruleId);
    expect(first.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: "a%20b/%3Ci%3E%26%22'%7C.yaml" },
      region: { startLine: 7, startColumn: 33, endLine: 7, endColumn: 36 },
    });
    expect(first.fixes[0].artifactChanges[0].replacements[0].insertedContent).toEqual({ text: 'GET' });
    expect(second.relatedLocations).toHaveLength(1);
    const keys = results.map(({ partialFingerprints }: { partialFingerprints: object }) => partialFingerprints);
    expect(new Set(keys.map((key: object) => JSON.stringify(key))).size).toBe(results.length);
  });
});

describe('the other forms', () => {
  test('JSON has a schema version, and says of each finding what text says', () => {
    const json = JSON.parse(JSON.stringify(lintJson(report)));
    expect(json).toMatchObject({
      schemaVersion: 1,
      tool: { name: 'meshpol', version: '1.2.3' },
      summary: { errors: 0, warnings: 3, infos: 0, files: 1, isComplete: true },
    });
    expect(json.findings[0]).toMatchObject({
      ...{ code: 'method-in-wrong-case', id: 'MP407', line: 7, column: 33, endColumn: 36, hint: 'write "GET"' },
      object: { kind: 'AuthorizationPolicy', namespace: 'shop', name: 'cart' },
      fix: { title: 'Write GET', edits: [{ line: 7, column: 33, text: 'GET' }] },
    });
    expect(json.findings[0].object.field).toBe('spec.rules[0].to[0].operation.methods[0]');
  });

  test('JUnit has a failed case a finding, a skipped one for what was not checked, and a passed one for other rules', () => {
    const text = formatJunit(report);
    expect(isNested(text)).toBe(true);
    const count = (tag: string): number => tagsOf(text).filter((it) => it === tag).length;
    expect([count('failure'), count('skipped')]).toEqual([3, report.notChecked.length]);
    expect(count('testcase')).toBe(Number(/tests="(\d+)"/.exec(text)?.[1]));
    expect(text).toContain('name="a b/&lt;i&gt;&amp;&quot;&#39;|.yaml:7:33: the method');
  });

  test('GitLab gets a list with paths, lines and fingerprints of their own', () => {
    const issues = JSON.parse(formatGitlab(report));
    expect(issues[0]).toMatchObject({
      ...{ check_name: 'method-in-wrong-case', severity: 'minor' },
      location: { path: 'a b/<i>&"\'|.yaml', lines: { begin: 7, end: 7 } },
    });
    expect(new Set(issues.map(({ fingerprint }: { fingerprint: string }) => fingerprint)).size).toBe(3);
    expect(JSON.parse(formatGitlab(empty))).toEqual([]);
  });

  test('HTML is one page that runs nothing, and whose texts are texts', () => {
    const text = formatHtml(report);
    expect(isNested(text.replace('<!doctype html>', ''), ['meta'])).toBe(true);
    expect(text).not.toMatch(/<i>|<b>|<script|src=|href=/);
    expect(text).toContain("default-src 'none'");
  });

  test('Markdown is a table whose cells hold neither bars nor markup of the input', () => {
    const rows = formatMarkdown(report)
      .split('\n')
      .filter((line) => line.startsWith('| warning'));
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row.split('|')).toHaveLength(7);
    expect(formatMarkdown(empty)).toBe('## meshpol lint\n\nno findings in 1 file\n');
  });

  test.each([
    ['GitHub', ({ findings }: LintReport) => formatGithub(findings.map(({ placed }) => placed))],
    ['JUnit', formatJunit],
    ['HTML', formatHtml],
    ['Markdown', formatMarkdown],
    ['JSON', formatLintJson],
    ['YAML', (it: LintReport) => textOf(lintJson(it), 'yaml')],
    ['SARIF', formatSarif],
    ['GitLab', formatGitlab],
    [
      'text',
      ({ findings }: LintReport) =>
        formatBlocks(
          findings.map(({ placed }) => placed),
          9,
        ),
    ],
  ])('%s has neither control characters nor direction marks of the input', (_, formOf) => {
    const [first] = report.findings;
    if (first?.placed.place === undefined) return expect.unreachable();
    const mark = '\u001b[31m\u0085\u009b\u061c\u200f\u2028\u202e\u2066';
    const place = { ...first.placed.place, file: `${mark}.yaml`, lineText: mark };
    const text = formOf({ ...report, findings: [{ ...first, placed: { ...first.placed, place, message: mark } }] });
    expect(text).toContain('u202e');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(text).not.toMatch(/[\u001b\u0085\u009b\u061c\u200f\u2028\u202e\u2066]/);
  });

  test('YAML and JSON with escapes mean what the report says', () => {
    const [first] = report.findings;
    if (first === undefined) return expect.unreachable();
    const message = 'a\u009b: \u202e"b"\n\u0007\u2028';
    const marked = { ...report, findings: [{ ...first, placed: { ...first.placed, message } }] };
    expect(parseYaml(textOf(lintJson(marked), 'yaml')).findings[0].message).toBe(message);
    expect(JSON.parse(formatLintJson(marked)).findings[0].message).toBe(message);
  });
});
