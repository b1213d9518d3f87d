import { createPrivateKey } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestAuthority } from '../control/testing/authorities.ts';
import { createMeshCa, type IssuedCertificate, type MeshCa } from '../testing/certificates.ts';
import { checkIdentity } from './check.ts';
import type { IdentityTexts } from './snapshot.ts';

const id = 'spiffe://cluster.local/ns/foo/sa/httpbin';
const dayMs = 86_400_000;

describe('checkIdentity', () => {
  let ca: MeshCa;
  let good: IssuedCertificate;
  let other: IssuedCertificate;
  const texts = (changes: Partial<IdentityTexts> = {}, issued = good): IdentityTexts => ({
    certificateChain: issued.certificateChain,
    privateKey: issued.privateKey,
    rootCertificates: issued.rootCertificate,
    ...changes,
  });

  beforeAll(async () => {
    ca = await createMeshCa();
    good = await ca.issue(id);
    other = await (await createMeshCa()).issue(id);
  });

  test('accepts a good identity and reads its name and expiry', () => {
    const { snapshot } = checkIdentity(texts(), Date.now());
    expect(snapshot?.spiffeId).toBe(id);
    expect(snapshot?.notAfterMs).toBeGreaterThan(Date.now());
  });

  test('accepts several roots and a chain that repeats its root', () => {
    const rootCertificates = other.rootCertificate + good.rootCertificate;
    const certificateChain = good.certificateChain + good.rootCertificate;
    expect(checkIdentity(texts({ rootCertificates, certificateChain }), Date.now()).problem).toBeUndefined();
  });

  test('accepts intermediates in any order, and needs each of them', async () => {
    const root = await createTestAuthority({ name: 'root' });
    const upper = await createTestAuthority({ name: 'upper', parent: root });
    const lower = await createTestAuthority({ name: 'lower', parent: upper });
    const leaf = await createTestAuthority({ name: 'leaf', parent: lower, isCa: false, usages: 1, uris: [id] });
    const problemOf = (...above: readonly { readonly certificate: string }[]): string | undefined =>
      checkIdentity(
        {
          certificateChain: [leaf, ...above].map(({ certificate }) => certificate).join(''),
          privateKey: leaf.privateKey,
          rootCertificates: root.certificate,
        },
        Date.now(),
      ).problem;
    expect([problemOf(lower, upper), problemOf(upper, lower)]).toEqual([undefined, undefined]);
    expect(problemOf(lower)).toMatch(/does not lead to/);
    expect(problemOf(upper)).toMatch(/does not lead to/);
  });

  test.each<[string, () => Partial<IdentityTexts>, RegExp]>([
    ['an empty chain', () => ({ certificateChain: '' }), /cert-chain.pem holds no certificate/],
    ['an empty root', () => ({ rootCertificates: '\n' }), /root-cert.pem holds no certificate/],
    ['a junk root', () => ({ rootCertificates: junk }), /certificate 1 of root-cert.pem cannot be parsed/],
    ['a key in the chain', () => ({ certificateChain: good.certificateChain + good.privateKey }), /something else/],
    ['a key that is none', () => ({ privateKey: good.privateKey.slice(0, 80) }), /key.pem holds no private key/],
    ['the key of another certificate', () => ({ privateKey: other.privateKey }), /is not the key of/],
    ['the root of another mesh', () => ({ rootCertificates: other.rootCertificate }), /does not lead to/],
    ['an encrypted key', () => ({ privateKey: encrypted(good.privateKey) }), /key.pem is encrypted/],
  ])('refuses %s', (_name, changes, problem) => {
    expect(checkIdentity(texts(changes()), Date.now()).problem).toMatch(problem);
  });

  test.each<[string, Parameters<MeshCa['issue']>[1], RegExp]>([
    ['an expired leaf', { days: -1 }, /expired at/],
    ['a leaf of tomorrow', { startDays: 1, days: 2 }, /is not valid before/],
    ['a leaf without a URI', { uris: [], dnsNames: ['a.b'] }, /has 0 URI SANs/],
    ['a leaf with two URIs', { uris: [id, 'spiffe://a/b'] }, /has 2 URI SANs/],
    ['a URI that is no SPIFFE ID', { uris: ['https://a/b'] }, /is no SPIFFE ID/],
    ['a SPIFFE ID without a path', { uris: ['spiffe://cluster.local'] }, /is no SPIFFE ID/],
    ['a leaf that is a CA', { isCa: true }, /is a CA/],
  ])('refuses %s', async (_name, options, problem) => {
    expect(checkIdentity(texts({}, await ca.issue(id, options)), Date.now()).problem).toMatch(problem);
  });

  test('refuses a certificate that has expired', () => {
    expect(checkIdentity(texts(), Date.now() + 2 * dayMs).problem).toMatch(/expired/);
  });

  test('never quotes key material', () => {
    const body = good.privateKey.split('\n')[1] as string;
    for (const privateKey of [good.privateKey.replace('BEGIN', 'BEGUN'), body, other.privateKey]) {
      const { problem } = checkIdentity(texts({ privateKey }), Date.now());
      expect(problem).toBeDefined();
      for (const line of [body, ...privateKey.split('\n')]) if (line.length > 20) expect(problem).not.toContain(line);
    }
  });
});

const junk = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

function encrypted(pem: string): string {
  const key = createPrivateKey(pem);
  return key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' }).toString();
}
