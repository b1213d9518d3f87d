import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tries } from '../testing/effort.ts';
import { type OutcomeCell, outcomeCells, outcomeRows } from './outcome-table.ts';
import { createTestbed, type Testbed } from './testbed.ts';
import { describeMesh } from './testing/describe-mesh.ts';
import { findVerdict } from './verdict.ts';

const example = new URL('../../examples/first-mesh/', import.meta.url);
const requests = tries(20);
let testbed: Testbed;

beforeAll(async () => {
  testbed = await createTestbed({ topology: await readFile(new URL('topology.yaml', example), 'utf8') });
});
afterAll(() => testbed?.close());

/** `status exit TLS` of each cell, once for every different thing that was seen. */
async function outcomesOf(cells: readonly OutcomeCell[], count: number): Promise<Record<string, string[]>> {
  const outcomes: Record<string, string[]> = {};
  for (const { from, server } of cells) {
    const seen = new Set<string>();
    for (let i = 0; i < count; i += 1) {
      const answer = await testbed.request({ from, to: server.split('/').reverse().join('.'), path: '/headers' });
      const isMutualTls = answer.body.includes('"x-forwarded-client-cert"');
      seen.add(`${answer.status} ${answer.exitCode} ${isMutualTls ? 'mutual TLS' : 'plain'}`);
    }
    outcomes[`${from} -> ${server}`] = [...seen];
  }
  return outcomes;
}

function expectedOutcomes(cells: readonly OutcomeCell[]): Record<string, string[]> {
  return Object.fromEntries(
    cells.map(({ from, server, status, exitCode, isMutualTls }) => [
      `${from} -> ${server}`,
      [`${status} ${exitCode} ${isMutualTls ? 'mutual TLS' : 'plain'}`],
    ]),
  );
}

describeMesh('outcome table', () => {
  test.each(outcomeRows)(`$title: every cell is as specified, ${requests} times of ${requests}`, async (row) => {
    const { file } = row;
    if (file !== undefined)
      await testbed.apply({ [file]: await readFile(new URL(`policies/${file}`, example), 'utf8') });
    const cells = outcomeCells(row);
    expect(await outcomesOf(cells, requests)).toEqual(expectedOutcomes(cells));
    if (file !== undefined) await testbed.remove(file);
    const reverted = outcomeCells(outcomeRows[0]!);
    expect(await outcomesOf(reverted, 1)).toEqual(expectedOutcomes(reverted));
  });

  test('names the policy behind a refusal, with file and line', async () => {
    const file = 'namespace-strict.yaml';
    const text = await readFile(new URL(`policies/${file}`, example), 'utf8');
    await testbed.apply({ [file]: text });
    const verdict = await findVerdict(testbed, { from: 'legacy/curl', to: 'httpbin.foo' }, 'foo/httpbin');
    await testbed.remove(file);
    const line = text.split('\n').findIndex((one) => one.includes('mode: STRICT')) + 1;
    expect(verdict.evidence).toBe('no filter chain matched');
    expect(verdict.decidedBy).toEqual([
      expect.objectContaining({ kind: 'PeerAuthentication', namespace: 'foo', name: 'default', line }),
    ]);
    expect(verdict.decidedBy[0]?.file).toMatch(/\/namespace-strict\.yaml$/);
  });
});
