import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CurlAnswer } from './curl.ts';
import { type OutcomeCell, type OutcomeRow, outcomeCells, outcomeRows } from './outcome-table.ts';
import { createTestbed, type Testbed } from './testbed.ts';
import { type DecidingField, findVerdict, type Verdict } from './verdict.ts';

/**
 * `make demo`: the specification's outcome table on real Envoys. Exit 1 when a cell differs. Takes another folder than
 * examples/first-mesh as its argument. Ctrl-C needs no handler: the testbed cannot outlive this process.
 */
const example = process.argv[2] ?? 'examples/first-mesh';
const startedAt = performance.now();
process.exitCode = (await demo()) ? 0 : 1;

async function demo(): Promise<boolean> {
  say('The first mesh: namespaces foo and bar with sidecars, legacy without; in each a backend and a client.');
  const topology = await readFile(join(example, 'topology.yaml'), 'utf8');
  const testbed = await createTestbed({ topology, onProgress: (step) => say(`${elapsed()}  ${step}`) });
  let differing = 0;
  try {
    for (const row of outcomeRows) differing += await runRow(testbed, row);
    differing += await runRow(testbed, { ...(outcomeRows[0] as OutcomeRow), title: 'every policy deleted again' });
  } finally {
    await testbed.close();
  }
  say(`\n${elapsed()}  ${differing === 0 ? 'every cell is as specified' : `${differing} cells differ`}`);
  return differing === 0;
}

/** Applies the row's policies, tries its cells, deletes the policies; gives the number of cells that differ. */
async function runRow(testbed: Testbed, row: OutcomeRow): Promise<number> {
  say(`\n${elapsed()}  ${row.title}`);
  if (row.file !== undefined) {
    const path = join(example, 'policies', row.file);
    await testbed.apply({ [row.file]: await readFile(path, 'utf8') });
    say(`${elapsed()}  ${path} is in force at every proxy`);
  }
  let differing = 0;
  for (const cell of outcomeCells(row)) differing += (await runCell(testbed, cell)) ? 0 : 1;
  if (row.file !== undefined) {
    await testbed.remove(row.file);
    say(`${elapsed()}  deleted`);
  }
  return differing;
}

async function runCell(testbed: Testbed, cell: OutcomeCell): Promise<boolean> {
  const { from, server, status, exitCode } = cell;
  const [namespace] = server.split('/');
  const verdict = await findVerdict(testbed, { from, to: `httpbin.${namespace}`, path: '/headers' }, server);
  const { answer } = verdict;
  const isMutualTls = answer.body.includes('"x-forwarded-client-cert"');
  const isAsExpected = answer.status === status && answer.exitCode === exitCode && isMutualTls === cell.isMutualTls;
  const expected = formatOutcome({ status, exitCode }, cell.isMutualTls);
  say(
    `  ${isAsExpected ? 'ok      ' : 'DIFFERS '} ${`${from} -> ${server}`.padEnd(32)}` +
      `expected ${expected.padEnd(20)}seen ${formatOutcome(answer, isMutualTls).padEnd(20)}`,
  );
  for (const line of reasons(verdict)) say(`             ${line}`);
  return isAsExpected;
}

function formatOutcome({ status, exitCode }: Pick<CurlAnswer, 'status' | 'exitCode'>, isMutualTls: boolean): string {
  if (status !== '200') return `${status}, exit ${exitCode}`;
  return `200, ${isMutualTls ? 'mutual TLS' : 'plain text'}`;
}

/** What the server's Envoy did, and the policies behind it. */
function reasons({ evidence, decidedBy, overrode }: Verdict): string[] {
  const place = ({ kind, namespace, name, field, file, line }: DecidingField): string =>
    `${kind} ${namespace}/${name} ${field} (${example}/policies/${basename(file)}:${line})`;
  return [
    evidence === undefined ? 'the backend has no proxy' : `at the backend's proxy: ${evidence}`,
    ...(decidedBy.length === 0 ? ['decided by no policy: the default'] : []),
    ...decidedBy.map((field) => `decided by ${place(field)}`),
    ...overrode.map((field) => `overrides  ${place(field)}`),
  ];
}

function elapsed(): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
