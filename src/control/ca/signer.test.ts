import { describe, expect, test } from 'vitest';
import { createTestAuthority } from '../testing/authorities.ts';
import { type AuthorityTexts, createSigner } from './signer.ts';

const root = await createTestAuthority({ name: 'root' });
const upper = await createTestAuthority({ name: 'upper', parent: root });
const lower = await createTestAuthority({ name: 'lower', parent: upper, days: 10 });
const stranger = await createTestAuthority({ name: 'stranger' });

const good: AuthorityTexts = {
  certificate: lower.certificate,
  privateKey: lower.privateKey,
  chain: upper.certificate,
  roots: root.certificate,
};
const now = Date.now();

describe('createSigner', () => {
  test.each<[string, Partial<AuthorityTexts>, number]>([
    ['two intermediates', {}, 2],
    [
      'a chain that repeats both ends, in another order',
      { chain: root.certificate + upper.certificate + lower.certificate },
      2,
    ],
    ['a root that signs itself', { certificate: root.certificate, privateKey: root.privateKey, chain: '' }, 0],
    [
      'a ca-cert.pem that holds the intermediates',
      { certificate: lower.certificate + upper.certificate, chain: '' },
      2,
    ],
    ['an old root beside the new one', { roots: stranger.certificate + root.certificate }, 2],
  ])('builds the chain to the root of %s', (_, texts, length) => {
    const { signer } = createSigner({ ...good, ...texts }, now);
    expect(signer?.chain).toHaveLength(length);
    expect(signer?.rootFingerprint).toBe(
      createSigner({ ...good, certificate: root.certificate, privateKey: root.privateKey }, now).signer?.fingerprint,
    );
  });

  test('expires with the first certificate of its chain that expires', () => {
    expect(createSigner(good, now).signer?.notAfterMs).toBe(Math.floor(lower.parsed.notAfter.getTime() / 1000) * 1000);
  });

  const refused = async (form: Parameters<typeof createTestAuthority>[0]): Promise<Partial<AuthorityTexts>> => {
    const { certificate, privateKey } = await createTestAuthority({ name: 'odd', parent: root, ...form });
    return { certificate, privateKey, chain: '' };
  };
  test.each<[string, () => Partial<AuthorityTexts> | Promise<Partial<AuthorityTexts>>, RegExp]>([
    ['no certificate', () => ({ certificate: 'x' }), /ca-cert.pem holds no certificate/],
    ['no root', () => ({ roots: '' }), /root-cert.pem holds no certificate/],
    ['no key', () => ({ privateKey: 'x' }), /ca-key.pem holds no private key/],
    ['another key', () => ({ privateKey: upper.privateKey }), /ca-key.pem is not the key of ca-cert.pem/],
    ['a missing intermediate', () => ({ chain: '' }), /does not lead to a root of root-cert.pem/],
    ['a stranger’s root', () => ({ roots: stranger.certificate }), /does not lead to a root of root-cert.pem/],
    [
      'a key among the roots',
      () => ({ roots: root.certificate + root.privateKey }),
      /holds something else than certificates/,
    ],
    [
      'a root without its end',
      () => ({ roots: root.certificate + root.certificate.slice(0, 80) }),
      /root-cert.pem holds something else than certificates/,
    ],
    [
      'a certificate that is none',
      () => ({ chain: '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----' }),
      /certificate 1 of cert-chain.pem cannot be parsed/,
    ],
    ['a leaf', () => refused({ isCa: false }), /ca-cert.pem may not sign certificates/],
    ['a key usage without certificates', () => refused({ usages: 1 }), /ca-cert.pem may not sign certificates/],
    ['one that has expired', () => refused({ startDays: -3, days: -1 }), /ca-cert.pem expired at/],
    ['one that is not valid yet', () => refused({ startDays: 1 }), /ca-cert.pem is not valid before/],
    [
      'a curve of its own',
      () => refused({ algorithm: 'P-521' }),
      /ca-key.pem is refused: its key is on the curve secp521r1/,
    ],
    ['a short RSA key', () => refused({ algorithm: 'RSA-1024' }), /1024 bits/],
    [
      'more authorities than the root allows',
      async () => {
        const narrow = await createTestAuthority({ name: 'narrow', pathLength: 0 });
        const first = await createTestAuthority({ name: 'first', parent: narrow });
        return { ...(await refused({ parent: first })), chain: first.certificate, roots: narrow.certificate };
      },
      /the root of ca-cert.pem allows 0 authorities below it, not /,
    ],
    [
      'an expired intermediate',
      async () => {
        const old = await createTestAuthority({ name: 'old', parent: root, startDays: -3, days: -1 });
        return { ...(await refused({ parent: old })), chain: old.certificate };
      },
      /intermediate 1 of ca-cert.pem expired at/,
    ],
  ])('refuses %s, and quotes no key', async (_, texts, expected) => {
    const { problem } = createSigner({ ...good, ...(await texts()) }, now);
    expect(problem).toMatch(expected);
    expect(problem).not.toContain(good.privateKey.split('\n')[1]);
  });
});
