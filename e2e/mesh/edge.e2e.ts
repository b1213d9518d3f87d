import { afterAll, beforeAll, expect, test } from 'vitest';
import { delay } from '../../src/lib/abort.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { type Edge, expectedStatuses, startEdge, statusesOf } from './edge.ts';
import { type MintedTokens, mintTokens, tokenRows } from './token-table.ts';

describeMesh('tokens at an ingress gateway', () => {
  let edge: Edge;
  let minted: MintedTokens;
  beforeAll(async () => {
    [edge, minted] = await Promise.all([startEdge('examples/edge'), mintTokens()]);
  });
  afterAll(() => edge?.testbed.close());

  test.each(tokenRows)(
    '$title: every status is as specified, and as before after the policy is deleted',
    async (row) => {
      await edge.enforce(row.files, minted);
      expect(await statusesOf(edge, row, minted)).toEqual(expectedStatuses(row));
      await edge.enforce([], minted);
      expect((await edge.request('/headers', minted.tokens.malformed)).status).toBe('200');
    },
  );

  test('a token is accepted until it expires, and never from two seconds after that', async () => {
    await edge.enforce(['request-authentication.yaml'], minted);
    const { token, expiresAt } = await minted.expiring(3);
    const seen: { readonly before: Set<string>; readonly after: Set<string> } = { before: new Set(), after: new Set() };
    while (Date.now() < (expiresAt + 3) * 1000) {
      const startedAt = Date.now() / 1000;
      const { status } = await edge.request('/ip', token);
      if (Date.now() / 1000 < expiresAt) seen.before.add(status);
      if (startedAt >= expiresAt + 2) seen.after.add(status);
      await delay(50);
    }
    expect(seen).toEqual({ before: new Set(['200']), after: new Set(['401']) });
  });
});
