import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeshCa } from '../testing/certificates.ts';
import { type ObtainBench, startObtainBench } from './testing/obtain-bench.ts';
import { type SeenRequest, type TestAnswer, testSpiffeId } from './testing/test-authority.ts';

let bench: ObtainBench;
beforeEach(async () => {
  bench = await startObtainBench();
});
afterEach(() => bench.close());

describe('an answer that is not as it should be', () => {
  const cases: readonly (readonly [string, (seen: SeenRequest) => TestAnswer | Promise<TestAnswer>, RegExp])[] = [
    [
      'one element',
      async (seen) => ({ certificateChain: (await bench.authority.good(seen)).certificateChain.slice(0, 1) }),
      /1 elements/,
    ],
    ['no element', () => ({ certificateChain: [] }), /0 elements/],
    ['the key of another', async () => chainOf(await bench.authority.ca.issue(testSpiffeId)), /is not the key/],
    [
      'another identity',
      (seen) => bench.authority.good(seen, { uris: ['spiffe://cluster.local/ns/foo/sa/admin'] }),
      /sa\/admin, and/,
    ],
    ['two identities', (seen) => bench.authority.good(seen, { uris: [testSpiffeId, 'spiffe://a/b'] }), /2 URI SANs/],
    ['no identity', (seen) => bench.authority.good(seen, { uris: [], dnsNames: ['default'] }), /0 URI SANs/],
    ['an expired leaf', (seen) => bench.authority.good(seen, { days: -1 }), /expired/],
    ['a leaf of tomorrow', (seen) => bench.authority.good(seen, { startDays: 1, days: 2 }), /not valid before/],
    ['a CA', (seen) => bench.authority.good(seen, { isCa: true }), /is a CA/],
    [
      'a root that did not sign',
      async (seen) => withRoot(await bench.authority.good(seen), (await createMeshCa()).rootCertificate),
      /does not lead to/,
    ],
    ['junk', () => ({ certificateChain: ['junk', 'junk'] }), /holds no certificate/],
    ['10 MB', () => ({ certificateChain: ['x'.repeat(10_000_000), 'x'] }), /RESOURCE_EXHAUSTED/],
  ];
  test.each(cases)('is refused: %s', async (_name, answer, reason) => {
    bench.authority.answer = answer;
    await expect(bench.ask()).rejects.toThrow(reason);
  });

  test('is refused: a whole other mesh, with its own root', async () => {
    const other = await createMeshCa();
    bench.authority.answer = async ({ request }) => ({
      certificateChain: [await other.certify(request.csr, testSpiffeId), other.rootCertificate],
    });
    await expect(bench.ask()).rejects.toThrow(/none of its roots is known/);
  });

  test('is taken from a bundle of old and new root, each root once and in one order', async () => {
    const other = await createMeshCa();
    const bundles = [
      bench.authority.ca.rootCertificate + other.rootCertificate,
      other.rootCertificate + bench.authority.ca.rootCertificate,
    ];
    const served = new Set<string>();
    for (const bundle of bundles) {
      bench.authority.answer = async ({ request }) => ({
        certificateChain: [await other.certify(request.csr, testSpiffeId), `${bundle}${bundle}`],
      });
      served.add((await bench.ask()).rootCertificates);
    }
    expect(served.size).toBe(1);
    expect([...served].join('').match(/BEGIN/g)).toHaveLength(2);
  });
});

function chainOf(issued: { readonly certificateChain: string; readonly rootCertificate: string }): TestAnswer {
  return { certificateChain: [issued.certificateChain, issued.rootCertificate] };
}

function withRoot(answer: { readonly certificateChain: readonly string[] }, root: string): TestAnswer {
  return { certificateChain: [...answer.certificateChain.slice(0, -1), root] };
}
