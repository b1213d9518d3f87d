import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tries } from '../../src/testing/effort.ts';
import { expectedOutcomes, outcomeCells, outcomeRows, outcomesOf } from '../mesh/outcome-table.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import type { ProxyManner } from './served-fleet.ts';
import { createServedMesh, type ServedMesh } from './served-mesh.ts';

const example = new URL('../../examples/first-mesh/', import.meta.url);
/** Of each cell; half of them over IPv6. */
const requests = tries(2, 10);

const manners: readonly ProxyManner[] = [
  { via: 'agent', form: 'delta' },
  { via: 'agent', form: 'state of the world' },
  { via: 'direct', form: 'delta' },
  { via: 'direct', form: 'state of the world' },
];

describeMesh('outcome table over xDS', () => {
  let mesh: ServedMesh | undefined;
  let manner = manners[0] as ProxyManner;
  afterAll(() => mesh?.close());

  describe.each(manners)('with Envoys that ask for $form, via: $via', (next) => {
    beforeAll(async () => {
      manner = next;
      if (mesh !== undefined) return mesh.restartProxies();
      const topology = await readFile(new URL('topology.yaml', example), 'utf8');
      mesh = await createServedMesh({ topology, mannerOf: () => manner });
    });

    test.each(outcomeRows)(`$title: every cell is as specified, ${requests} times of ${requests}`, async (row) => {
      const { testbed } = mesh as ServedMesh;
      const { file } = row;
      if (file !== undefined)
        await testbed.apply({ [file]: await readFile(new URL(`policies/${file}`, example), 'utf8') });
      const cells = outcomeCells(row);
      expect(await outcomesOf(testbed, cells, requests)).toEqual(expectedOutcomes(cells));
      if (file !== undefined) await testbed.remove(file);
    });

    test('every cell is as before once all policies are gone, and meshd knows each Envoy by its identity', async () => {
      const { testbed, fleet } = mesh as ServedMesh;
      const reverted = outcomeCells(outcomeRows[0]!);
      expect(await outcomesOf(testbed, reverted, requests)).toEqual(expectedOutcomes(reverted));
      const bootstrap = await testbed.sidecar('foo/curl').admin('GET', '/config_dump?mask=bootstrap.dynamic_resources');
      expect(bootstrap).toContain(next.form === 'delta' ? '"DELTA_GRPC"' : '"GRPC"');
      const rows = await fleet.rows();
      expect(rows.map(({ proxy, identity, refused, isFrozen }) => [proxy, identity, refused, isFrozen])).toEqual(
        ['bar/curl', 'bar/httpbin', 'foo/curl', 'foo/httpbin'].map((pod) => {
          const [namespace, account] = pod.split('/');
          return [pod, `spiffe://cluster.local/ns/${namespace}/sa/${account}`, [], false];
        }),
      );
    });
  });
});
