import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Edge, expectedStatuses, startEdge, statusesOf } from '../mesh/edge.ts';
import { type MintedTokens, mintTokens, tokenRows } from '../mesh/token-table.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import type { ProxyManner } from './served-fleet.ts';
import { createServedMesh, type ServedMesh } from './served-mesh.ts';

const manners: readonly ProxyManner[] = [
  { via: 'agent', form: 'delta' },
  { via: 'direct', form: 'state of the world' },
];

describeMesh('tokens at a gateway over xDS', () => {
  let mesh: ServedMesh | undefined;
  let edge: Edge;
  let minted: MintedTokens;
  let manner = manners[0] as ProxyManner;
  afterAll(() => mesh?.close());

  describe.each(manners)('with Envoys that ask for $form, via: $via', (next) => {
    beforeAll(async () => {
      manner = next;
      if (mesh !== undefined) return mesh.restartProxies();
      minted = await mintTokens();
      edge = await startEdge('examples/edge', undefined, async (options) => {
        mesh = await createServedMesh({ ...options, mannerOf: () => manner });
        return mesh.testbed;
      });
    });

    test.each(tokenRows)('$title: every status is as specified', async (row) => {
      await edge.enforce(row.files, minted);
      expect(await statusesOf(edge, row, minted)).toEqual(expectedStatuses(row));
    });
  });
});
