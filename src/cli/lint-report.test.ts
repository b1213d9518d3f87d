import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import type { LintReportFile } from '../contracts/lint-report.ts';
import { schemaOf } from '../library/schemas.ts';
import { run as meshpol } from './testing/run-meshpol.ts';

const ajv = new Ajv.default();
const published = ajv.compile(schemaOf('LintReport') ?? {});

/** The schema without room for fields that it does not name, which later releases may add: so it names all there are. */
const closed = ajv.compile({ ...(closedOf(schemaOf('LintReport')) as object), $id: 'closed.json' });

function closedOf(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closedOf);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closedOf(value)]));
  return typeof copy.properties === 'object' && copy.type === 'object'
    ? { ...copy, additionalProperties: false }
    : copy;
}

const policy = (name: string, rules: string, annotations = ''): string =>
  `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: shop${annotations}}
spec:
  rules:
${rules}`;
const lowerCase = policy('cart', "    - to: [{operation: {methods: [get], paths: ['/a']}}]\n");
const twice = policy('two', "    - to: [{operation: {paths: ['/a']}}]\n    - to: [{operation: {paths: ['/a']}}]\n");
const reason = ", annotations: {lint.mesh.io/ignore: 'method-in-wrong-case: known'}";
const suppressed = policy('kept', '    - to: [{operation: {methods: [get]}}]\n', reason);

/** The report of a run, in both forms, which are the same. */
async function reportOf(args: string, stdin: string): Promise<LintReportFile> {
  const inJson = JSON.parse((await meshpol(`lint ${args} -o json`, stdin)).out);
  expect(parse((await meshpol(`lint ${args} -o yaml`, stdin)).out)).toEqual(inJson);
  return inJson;
}

describe('the published schema of the report of lint', () => {
  test.each<[string, string, string, (report: LintReportFile) => boolean]>([
    ['no finding', '- --rule rule-within-rule', lowerCase, ({ findings }) => findings.length === 0],
    ['a fix', '-', lowerCase, ({ findings }) => findings.some(({ fix }) => fix !== undefined)],
    ['related places', '-', twice, ({ findings }) => findings.some(({ related }) => related.length > 0)],
    ['rules that were not checked', '-', lowerCase, ({ notChecked }) => notChecked.length > 0],
    ['suppressed findings', '- --rule MP407', suppressed, ({ findings }) => findings.length === 0],
    ['findings of the compiler', '-', `${lowerCase}surprise: 1\n`, ({ summary }) => !summary.isComplete],
    ['no object', '-', '# nothing\n', ({ findings }) => findings.some(({ file }) => file === undefined)],
  ])('holds for a report with %s, and names every field of it', async (_, args, text, isMeant) => {
    const report = await reportOf(args, text);
    expect(isMeant(report)).toBe(true);
    for (const validate of [published, closed]) {
      validate(report);
      expect(validate.errors).toBeNull();
    }
  });

  test('holds for findings about settings, with and without a place', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'report-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(
      join(folder, 'mesh.yaml'),
      'defaultConfig:\n  tracing: {sampling: 100, zipkin: {address: "z:9411"}}\n',
    );
    const inFile = await reportOf(`- --severity info --meshConfig ${folder}/mesh.yaml`, lowerCase);
    expect(inFile.findings.map(({ file, object }) => [file, object])).toContainEqual([
      `${folder}/mesh.yaml`,
      undefined,
    ]);
    expect([closed(inFile), closed.errors]).toEqual([true, null]);
  });

  test('holds for what a baseline leaves', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'report-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await meshpol(`lint - --write-baseline ${folder}/known.json`, lowerCase);
    const report = await reportOf(`- --baseline ${folder}/known.json`, `${lowerCase}---\n${twice}`);
    expect(report.findings.map(({ code }) => code)).not.toContain('method-in-wrong-case');
    expect(report.findings.length).toBeGreaterThan(0);
    expect([closed(report), closed.errors]).toEqual([true, null]);
  });

  test('takes fields that a later release adds, and refuses what is no report', async () => {
    const report = await reportOf('-', lowerCase);
    expect([published({ ...report, more: 1 }), closed({ ...report, more: 1 })]).toEqual([true, false]);
    const [finding] = report.findings;
    expect(closed({ ...report, findings: [{ ...finding, more: 1 }] })).toBe(false);
    expect(published({ ...report, schemaVersion: 2 })).toBe(false);
    expect(published({ ...report, findings: [{ ...finding, severity: 'fatal' }] })).toBe(false);
    expect(published({ ...report, findings: [{ ...finding, line: undefined }] })).toBe(false);
    expect(published({ ...report, notChecked: undefined })).toBe(false);
  });
});

test('a finding names the section that explains it: of its rule, and of a diagnostic of the compiler', async () => {
  const reports = [await reportOf('-', lowerCase), await reportOf('-', `${lowerCase}surprise: 1\n`)];
  const links = reports.flatMap(({ findings }) => findings.map(({ docs }) => docs));
  expect(links).toEqual([
    'docs/reference/lint-rules.md#method-in-wrong-case',
    'docs/reference/diagnostics.md#unknown-field',
  ]);
  for (const link of links) {
    const [page = '', section = ''] = link?.split('#') ?? [];
    expect(readFileSync(join(import.meta.dirname, '../..', page), 'utf8')).toMatch(new RegExp(`^##+ ${section}$`, 'm'));
  }
});
