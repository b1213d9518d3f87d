import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { formatKey, generateKey } from './key.ts';
import { createSigningRequest } from './signing-request.ts';

const openssl = (args: readonly string[], input: string): string =>
  execFileSync('openssl', args, { input, stdio: ['pipe', 'pipe', 'pipe'] }).toString();

describe('a key and its signing request, as openssl reads them', () => {
  test.each([
    ['RSA', false, 'RSA PRIVATE KEY', /Public-Key: \(2048 bit\)/, 'sha256WithRSAEncryption'],
    ['RSA', true, 'PRIVATE KEY', /Public-Key: \(2048 bit\)/, 'sha256WithRSAEncryption'],
    ['ECDSA', false, 'EC PRIVATE KEY', /NIST CURVE: P-256/, 'ecdsa-with-SHA256'],
    ['ECDSA', true, 'PRIVATE KEY', /NIST CURVE: P-256/, 'ecdsa-with-SHA256'],
  ] as const)('%s, PKCS #8: %s', async (algorithm, isPkcs8, label, size, signature) => {
    const key = await generateKey(algorithm);
    const text = formatKey(key, isPkcs8);
    expect(text.startsWith(`-----BEGIN ${label}-----\n`)).toBe(true);
    expect(openssl(['pkey', '-noout', '-check'], text)).toContain('Key is valid');

    const spiffeId = `spiffe://cluster.local/ns/foo/sa/${'a'.repeat(150)}`;
    const request = await createSigningRequest(spiffeId, key);
    const read = openssl(['req', '-noout', '-text', '-verify'], request);
    expect(read).toMatch(/Subject: *\n/);
    expect(read).toMatch(size);
    expect(read).toContain(`Signature Algorithm: ${signature}`);
    expect(read).toMatch(new RegExp(`X509v3 Subject Alternative Name: critical\\s+URI:${spiffeId}\\n`));
    expect(read.match(/X509v3 /g)).toHaveLength(1);
  });

  test('makes another key each time', async () => {
    const [one, two] = await Promise.all([generateKey('ECDSA'), generateKey('ECDSA')]);
    expect(one.equals(two)).toBe(false);
  });
});
