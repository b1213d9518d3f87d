import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DecidingField } from '../../src/contracts/origins-file.ts';
import type { CurlAnswer } from '../../src/testbed/curl.ts';
import { createTestbed, type Testbed } from '../../src/testbed/testbed.ts';
import { type OutcomeCell, type OutcomeRow, outcomeCells, outcomeRows } from '../mesh/outcome-table.ts';
import { findVerdict, type Verdict } from '../mesh/verdict.ts';
import type { DemoReport } from './demo-report.ts';

/** The specification's outcome table; gives the number of cells that differ. */
export async function demoFirstMesh(example: string, report: DemoReport): Promise<number> {
  report.say('The first mesh: namespaces foo and bar with sidecars, legacy without; in each a backend and a client.');
  const topology = await readFile(join(example, 'topology.yaml'), 'utf8');
  const testbed = await createTestbed({ topology, onProgress: (step) => report.step(step) });
  const demo = { testbed, example, report };
  let differing = 0;
  try {
    for (const row of outcomeRows) differing += await runRow(demo, row);
    differing += await runRow(demo, { ...(outcomeRows[0] as OutcomeRow), title: 'every policy deleted again' });
  } finally {
    await testbed.close();
  }
  return differing;
}

interface Demo {
  readonly testbed: Testbed;
  readonly example: string;
  readonly report: DemoReport;
}

/** Applies the row's policies, tries its cells, deletes the policies; gives the number of cells that differ. */
async function runRow(demo: Demo, row: OutcomeRow): Promise<number> {
  const { testbed, example, report } = demo;
  report.say('');
  report.step(row.title);
  if (row.file !== undefined) {
    const path = join(example, 'policies', row.file);
    await testbed.apply({ [row.file]: await readFile(path, 'utf8') });
    report.step(`${path} is in force at every proxy`);
  }
  let differing = 0;
  for (const cell of outcomeCells(row)) differing += (await runCell(demo, cell)) ? 0 : 1;
  if (row.file !== undefined) {
    await testbed.remove(row.file);
    report.step('deleted');
  }
  return differing;
}

async function runCell({ testbed, example, report }: Demo, cell: OutcomeCell): Promise<boolean> {
  const { from, server, status, exitCode } = cell;
  const [namespace] = server.split('/');
  const verdict = await findVerdict(testbed, { from, to: `httpbin.${namespace}`, path: '/headers' }, server);
  const { answer } = verdict;
  const isMutualTls = answer.body.includes('"x-forwarded-client-cert"');
  const isAsExpected = answer.status === status && answer.exitCode === exitCode && isMutualTls === cell.isMutualTls;
  const expected = formatOutcome({ status, exitCode }, cell.isMutualTls);
  const seen = formatOutcome(answer, isMutualTls);
  report.cell(isAsExpected, `${from} -> ${server}`, expected, seen, reasons(verdict, example));
  return isAsExpected;
}

function formatOutcome({ status, exitCode }: Pick<CurlAnswer, 'status' | 'exitCode'>, isMutualTls: boolean): string {
  if (status !== '200') return `${status}, exit ${exitCode}`;
  return `200, ${isMutualTls ? 'mutual TLS' : 'plain text'}`;
}

/** What the server's Envoy did, and the policies behind it. */
function reasons({ evidence, decidedBy, overrode }: Verdict, example: string): string[] {
  const place = ({ kind, namespace, name, field, file, line }: DecidingField): string =>
    `${kind} ${namespace}/${name} ${field} (${example}/policies/${basename(file)}:${line})`;
  return [
    evidence === undefined ? 'the backend has no proxy' : `at the backend's proxy: ${evidence}`,
    ...(decidedBy.length === 0 ? ['decided by no policy: the default'] : []),
    ...decidedBy.map((field) => `decided by ${place(field)}`),
    ...overrode.map((field) => `overrides  ${place(field)}`),
  ];
}
