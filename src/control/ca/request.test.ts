import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTestRequest, flipped, type RequestForm } from '../testing/signing-requests.ts';
import { parseRequest } from './request.ts';

const identity = 'spiffe://cluster.local/ns/foo/sa/httpbin';

describe('parseRequest', () => {
  test.each<[string, RequestForm]>([
    ['P-256', {}],
    ['P-384 with SHA-384', { algorithm: 'P-384', hash: 'SHA-384' }],
    ['RSA of 2048 bits', { algorithm: 'RSA' }],
    ['RSA with SHA-512', { algorithm: 'RSA', hash: 'SHA-512' }],
    ['a subject that says who it is', { subject: 'CN=admin, O=others' }],
  ])('takes %s, with one URI and without', async (_, form) => {
    expect(parseRequest((await createTestRequest({ ...form, uris: [identity] })).csr).request?.uri).toBe(identity);
    expect(parseRequest((await createTestRequest(form)).csr)).toEqual({
      request: { publicKey: expect.any(Buffer), uri: undefined },
    });
  });

  test.each<[string, RequestForm, RegExp]>([
    ['two URIs', { uris: [identity, 'spiffe://cluster.local/ns/foo/sa/admin'] }, /asks for 2 URIs/],
    ['the same URI twice', { uris: [identity, identity] }, /asks for 2 URIs/],
    ['a DNS name', { dnsNames: ['foo.example.com'] }, /names that are no URI/],
    ['a DNS name beside the URI', { uris: [identity], dnsNames: ['x'] }, /names that are no URI/],
    [
      'names in two extensions',
      { uris: [identity], extensions: [['2.5.29.17', false, uriSan('spiffe://x/ns/a/sa/b')]] },
      /more than once/,
    ],
    ['an RSA key of 1024 bits', { algorithm: 'RSA-1024' }, /has 1024 bits, fewer than 2048/],
    ['a key on P-521', { algorithm: 'P-521' }, /on the curve secp521r1/],
    ['RSA with SHA-1', { algorithm: 'RSA', hash: 'SHA-1' }, /not signed by its key with SHA-256/],
    ['ECDSA with SHA-1', { hash: 'SHA-1' }, /not signed by its key with SHA-256/],
  ])('refuses %s', async (_, form, expected) => {
    expect(parseRequest((await createTestRequest(form)).csr).problem).toMatch(expected);
  });

  test('refuses a signature with one bit turned: who asks must have the key', async () => {
    for (const algorithm of ['P-256', 'RSA'] as const) {
      const { csr } = await createTestRequest({ algorithm });
      expect(parseRequest(flipped(csr)).problem).toBe('the signature of the signing request is not that of its key');
    }
  });

  test('refuses a stranger’s key under our own signature', async () => {
    const [mine, theirs] = [await createTestRequest(), await createTestRequest()];
    const [mineBytes, theirBytes] = [mine, theirs].map(({ csr }) =>
      Buffer.from(csr.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'),
    );
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' });
    const at = mineBytes!.indexOf(key.subarray(0, 26));
    theirBytes!.copy(mineBytes!, at, at, at + key.length);
    const csr = `-----BEGIN CERTIFICATE REQUEST-----\n${mineBytes!.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(parseRequest(csr).problem).toBe('the signature of the signing request is not that of its key');
  });

  test.each([
    ['nothing', ''],
    ['words', 'hello'],
    ['another block', '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n'],
    ['an empty block', '-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n'],
    ['an empty sequence', '-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n'],
    ['a megabyte', `-----BEGIN CERTIFICATE REQUEST-----\n${'A'.repeat(2 ** 20)}\n-----END CERTIFICATE REQUEST-----\n`],
    ['blanks', `-----BEGIN CERTIFICATE REQUEST-----${' '.repeat(60_000)}x`],
  ])('refuses %s at once', (_, pem) => {
    const startedAt = performance.now();
    expect(parseRequest(pem).problem).toMatch(/^the signing request /);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  test('refuses two blocks', async () => {
    const { csr } = await createTestRequest();
    expect(parseRequest(csr + csr).problem).toMatch(/not one PEM block/);
  });

  test('answers every cut and every changed byte with a problem or the same request, never an exception', async () => {
    const { csr } = await createTestRequest({ uris: [identity] });
    const bytes = Buffer.from(csr.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, change, isCut) => {
        const changed = isCut ? bytes.subarray(0, at) : Buffer.from(bytes);
        if (!isCut) changed[at] = bytes[at]! ^ change;
        const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${changed.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
        expect(parseRequest(pem).problem).toBeTypeOf('string');
      }),
      { numRuns: 300 },
    );
  });
});

/** `SEQUENCE { [6] uri }`, short forms alone. */
function uriSan(uri: string): Uint8Array {
  return Buffer.concat([Buffer.of(0x30, uri.length + 2, 0x86, uri.length), Buffer.from(uri)]);
}
