import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createTestAuthority } from '../testing/authorities.ts';
import { createTokenMint } from '../testing/token-mint.ts';
import { type Credentials, createAuthenticate } from './authenticate.ts';
import { parseKeySet } from './token-keys.ts';

const root = await createTestAuthority({ name: 'root' });
const mint = createTokenMint();
const keys = parseKeySet(mint.keySet);
const tokens = {
  source: { issuer: mint.issuer, keys: async () => keys, close: () => undefined },
  audiences: ['mesh-ca'],
  isFirstParty: false,
  clock: Date.now,
};
const rules = { trustDomain: 'cluster.local', tokens, clusterIds: ['Cluster'], clock: Date.now };
const nobody: Credentials = { peer: '', certificate: undefined, authorization: [], clusterIds: [] };
const identity = 'spiffe://cluster.local/ns/foo/sa/httpbin';

async function certificateWith(form: Parameters<typeof createTestAuthority>[0]): Promise<Buffer> {
  const { certificate } = await createTestAuthority({
    parent: root,
    isCa: false,
    usages: 1,
    uris: [identity],
    ...form,
  });
  return new X509Certificate(certificate).raw;
}
const bearer = async (account: string): Promise<string> => `Bearer ${await mint.mint(account)}`;

describe('createAuthenticate', () => {
  test('authenticates a caller by its certificate', async () => {
    const certificate = await certificateWith({});
    expect(await createAuthenticate(rules)({ ...nobody, certificate })).toEqual({
      caller: { namespace: 'foo', serviceAccount: 'httpbin', by: 'certificate' },
    });
  });

  test.each<[string, Parameters<typeof createTestAuthority>[0], RegExp]>([
    ['without a URI, as our own server has', { uris: [] }, /has 0 URIs/],
    ['with two URIs', { uris: [identity, 'spiffe://cluster.local/ns/foo/sa/admin'] }, /has 2 URIs/],
    ['of another trust domain', { uris: ['spiffe://other/ns/foo/sa/httpbin'] }, /of the trust domain "other"/],
    [
      'with a URI that is no identity',
      { uris: ['https://cluster.local/ns/foo/sa/httpbin'] },
      /no identity of a workload/,
    ],
    ['with a longer path', { uris: [`${identity}/x`] }, /no identity of a workload/],
    [
      'with an encoded slash',
      { uris: ['spiffe://cluster.local/ns/foo%2fsa%2fadmin/sa/x'] },
      /no identity of a workload/,
    ],
    ['of an authority', { isCa: true, usages: 32 }, /that of an authority/],
    ['of an authority that may not sign', { isCa: true, usages: 1 }, /that of an authority/],
    ['that has expired since the handshake', { startDays: -2, days: -1 }, /expired at/],
  ])('refuses a certificate %s', async (_, form, expected) => {
    const { problem } = await createAuthenticate(rules)({ ...nobody, certificate: await certificateWith(form) });
    expect(problem).toMatch(expected);
  });

  test('uses the token of a caller whose certificate is invalid', async () => {
    const certificate = await certificateWith({ startDays: -2, days: -1 });
    const authorization = [await bearer('bar/sleep')];
    expect(await createAuthenticate(rules)({ ...nobody, certificate, authorization })).toEqual({
      caller: { namespace: 'bar', serviceAccount: 'sleep', by: 'token' },
    });
  });

  test.each<[string, () => Promise<Partial<Credentials>>, RegExp]>([
    ['nothing', async () => ({}), /^neither a client certificate of the mesh nor a token$/],
    ['two tokens', async () => ({ authorization: [await bearer('a/b'), await bearer('c/d')] }), /more than one header/],
    ['another scheme', async () => ({ authorization: ['Basic YTpi'] }), /holds no bearer token/],
    ['an empty token', async () => ({ authorization: ['Bearer '] }), /holds no bearer token/],
    [
      'a cluster that nobody knows',
      async () => ({ authorization: [await bearer('a/b')], clusterIds: ['east'] }),
      /unknown cluster "east"/,
    ],
    [
      'a known and an unknown cluster',
      async () => ({ authorization: [await bearer('a/b')], clusterIds: ['Cluster', 'east'] }),
      /unknown cluster/,
    ],
  ])('refuses %s', async (_, credentials, expected) => {
    expect((await createAuthenticate(rules)({ ...nobody, ...(await credentials()) })).problem).toMatch(expected);
  });

  test('accepts a token with its scheme in any case, with or without the name of this cluster', async () => {
    const authorization = [(await bearer('a/b')).replace('Bearer', 'bearer')];
    for (const clusterIds of [[], [''], ['Cluster']]) {
      expect((await createAuthenticate(rules)({ ...nobody, authorization, clusterIds })).caller).toBeDefined();
    }
  });

  test('reports UNAVAILABLE when it cannot verify tokens', async () => {
    const source = { ...tokens.source, keys: async () => [] };
    const authenticate = createAuthenticate({ ...rules, tokens: { ...tokens, source } });
    expect(await authenticate({ ...nobody, authorization: [await bearer('a/b')] })).toEqual({
      problem: 'there are no keys to verify tokens with',
      isOurFault: true,
    });
  });

  test('verifies a token of another cluster with keys alone, and does not ask the API server', async () => {
    const reviews = async () => ({ caller: { namespace: 'foo', serviceAccount: 'web', by: 'token' } as const });
    const authenticate = createAuthenticate({ ...rules, reviews, takesOtherClusters: true });
    const clusterIds = ['east'];
    const byKeys = await authenticate({ ...nobody, clusterIds, authorization: [await bearer('a/b')] });
    expect(byKeys.caller).toMatchObject({ namespace: 'a', serviceAccount: 'b' });
    expect((await authenticate({ ...nobody, clusterIds, authorization: ['Bearer a.b.c'] })).caller).toBeUndefined();
    expect((await authenticate({ ...nobody, authorization: ['Bearer a.b.c'] })).caller).toBeDefined();
  });

  test('asks the API server about a token only if no key verifies it', async () => {
    const asked: string[][] = [];
    const reviewed = { namespace: 'foo', serviceAccount: 'web', by: 'token' } as const;
    const reviews = async (...request: string[]) => {
      asked.push(request);
      return { caller: reviewed };
    };
    const authenticate = createAuthenticate({ ...rules, reviews });
    const foreign = await createTokenMint('https://other').mint('foo/web');
    const peer = '[::ffff:10.0.0.1]:4711';
    await authenticate({ ...nobody, peer, authorization: [await bearer('foo/httpbin')] });
    expect(await authenticate({ ...nobody, peer, authorization: [`Bearer ${foreign}`] })).toEqual({ caller: reviewed });
    expect(asked).toEqual([[foreign, '10.0.0.1']]);
  });

  test.each([
    ['keys', async () => [], { problem: 'the API server does not accept the token' }],
    ['the cluster', async () => keys, { problem: 'no answer', isOurFault: true }],
  ])('reports a fault of its own without an answer of %s', async (_, known, shown) => {
    const source = { ...tokens.source, keys: known };
    const authenticate = createAuthenticate({ ...rules, tokens: { ...tokens, source }, reviews: async () => shown });
    const authorization = [`Bearer ${await createTokenMint().mint('foo/web', { kid: 'x' })}`];
    const { problem, isOurFault } = (await authenticate({ ...nobody, authorization })) as typeof shown & {
      isOurFault?: boolean;
    };
    expect(problem).toMatch(/; /);
    expect(isOurFault).toBe(true);
  });

  test('reports that no issuer is configured', async () => {
    const authorization = [await bearer('a/b')];
    const { problem } = await createAuthenticate({ ...rules, tokens: undefined })({ ...nobody, authorization });
    expect(problem).toBe('tokens are not accepted: no issuer of tokens is configured');
  });
});
