import { readFile } from 'node:fs/promises';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { topologyText } from '../../src/testbed/mesh-objects.ts';
import { createTestbed, type Testbed } from '../../src/testbed/testbed.ts';
import { tries } from '../../src/testing/effort.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { expectedOutcomes, outcomeCells, outcomeRows, outcomesOf } from './outcome-table.ts';
import { findVerdict } from './verdict.ts';

const example = new URL('../../examples/first-mesh/', import.meta.url);
let testbed: Testbed;

/** The example, with all its sidecars in one mode. */
async function topologyIn(interceptionMode: string): Promise<string> {
  const text = await readFile(new URL('topology.yaml', example), 'utf8');
  const objects = (loadAll(text) as { readonly kind: string; readonly metadata: object }[]).map((object) => {
    const annotations = { 'sidecar.mesh.io/interceptionMode': interceptionMode };
    return object.kind === 'Pod' ? { ...object, metadata: { ...object.metadata, annotations } } : object;
  });
  return topologyText(objects);
}

describeMesh('outcome table', () => {
  describe.each([
    { mode: 'REDIRECT', requests: tries(6, 70), delivery: { ipv4: '127.0.0.6', ipv6: '::6' } },
    { mode: 'TPROXY', requests: tries(6), delivery: undefined },
  ])('with sidecars in mode $mode', ({ mode, requests, delivery }) => {
    beforeAll(async () => {
      testbed = await createTestbed({ topology: await topologyIn(mode) });
    });
    afterAll(() => testbed?.close());

    test.each(outcomeRows)(`$title: every cell is as specified, ${requests} times of ${requests}`, async (row) => {
      const { file } = row;
      if (file !== undefined)
        await testbed.apply({ [file]: await readFile(new URL(`policies/${file}`, example), 'utf8') });
      const cells = outcomeCells(row);
      expect(await outcomesOf(testbed, cells, requests)).toEqual(expectedOutcomes(cells));
      if (file !== undefined) await testbed.remove(file);
      const reverted = outcomeCells(outcomeRows[0]!);
      expect(await outcomesOf(testbed, reverted, 2)).toEqual(expectedOutcomes(reverted));
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

    test.each(['ipv4', 'ipv6'] as const)(
      'shows the backend the caller that the mode lets through: %s',
      async (family) => {
        const addressOf = (pod: string): string =>
          testbed.pods.find(({ namespace, name }) => `${namespace}/${name}` === pod)?.[family] ?? '';
        const { body } = await testbed.request({
          from: 'legacy/curl',
          to: addressOf('foo/httpbin'),
          ipv6: family === 'ipv6',
          path: '/ip',
        });
        const { origin } = JSON.parse(body) as { readonly origin: string };
        expect(origin.replace('::ffff:', '')).toBe(delivery?.[family] ?? addressOf('legacy/curl'));
      },
    );
  });
});
