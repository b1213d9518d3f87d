import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../testing/effort.ts';
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
  ])('accepts %s, with one URI and without', async (_, form) => {
    expect(parseRequest((await createTestRequest({ ...form, uris: [identity] })).csr).request?.uri).toBe(identity);
    expect(parseRequest((await createTestRequest(form)).csr)).toEqual({
      request: { publicKey: expect.any(Buffer), keyId: expect.any(Buffer), uri: undefined },
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

  test('refuses a signature with one changed bit, because the caller must have the key', async () => {
    for (const algorithm of ['P-256', 'RSA'] as const) {
      const { csr } = await createTestRequest({ algorithm });
      expect(parseRequest(flipped(csr)).problem).toBe('the signature of the signing request is not that of its key');
    }
  });

  test('refuses a request whose public key did not sign it', async () => {
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
  ])('refuses %s immediately', (_, pem) => {
    const startedAt = performance.now();
    expect(parseRequest(pem).problem).toMatch(/^the signing request /);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('accepts the request that each row of the table below changes in one place', () => {
    expect(parseRequest(handmade({})).request?.uri).toBe(identity);
  });

  test.each<[string, Handmade, RegExp]>([
    ['a part behind the signature', { behind: [der(0x05)] }, /./],
    ['a part behind the attributes', { info: (parts) => [...parts, der(0x05)] }, /./],
    ['bytes behind the request', { trailing: Buffer.of(0) }, /./],
    ['no key', { info: ([version = empty, name = empty]) => [version, name] }, /./],
    ['version 3', { info: ([, ...parts]) => [der(0x02, Buffer.of(2)), ...parts] }, /not of version 1/],
    ['parameters of the signature', { parameters: [der(0x0c)] }, /its signature has parameters/],
    ['three parts of the algorithm', { parameters: [der(0x05), der(0x05)] }, /./],
    ['an attribute without values', { attributes: [der(0x30, extensionRequest)] }, /./],
    [
      'extensions twice in one attribute',
      { attributes: [attributeOf(named, named)] },
      /not ask for extensions exactly once/,
    ],
    ['extensions in two attributes', { attributes: [attributeOf(named), attributeOf(empty)] }, /exactly once/],
    ['extensions without a value', { attributes: [attributeOf()] }, /exactly once/],
    ['NULL in place of extensions', { attributes: [attributeOf(der(0x05))] }, /./],
    ['extensions that are none', { attributes: [attributeOf(der(0x31))] }, /./],
    ['extensions in a longer length than DER has', { attributes: [attributeOf(longLength(named, 0))] }, /not in DER/],
    ['a subject that is a number', { name: der(0x02, Buffer.of(1)) }, /./],
    ['a key in longer lengths than DER has', { key: (spki) => longLength(spki, 0) }, /not in DER/],
    ['a curve in longer lengths than DER has', { key: longCurve }, /not in its usual form/],
    ['a compressed point', { key: compressed }, /not in its usual form/],
    ['a point in the hybrid form', { key: hybrid }, /not in its usual form/],
    [
      'a point beside its curve',
      { key: (spki) => Buffer.concat([spki.subarray(0, -1), Buffer.of((spki.at(-1) ?? 0) ^ 1)]) },
      /cannot be read/,
    ],
    ['a curve with points of the same length', { key: () => spkiOf('secp256k1') }, /on the curve secp256k1/],
    ['another name of the curve than the point is of', { key: otherCurve }, /cannot be read/],
  ])('refuses %s with a valid signature', (_, form, expected) => {
    const { problem } = parseRequest(handmade(form));
    expect(problem).toMatch(/^(the|its) /);
    expect(problem).toMatch(expected);
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
      runs(300),
    );
  });
});

/** `SEQUENCE { [6] uri }`, short forms alone. */
function uriSan(uri: string): Uint8Array {
  return Buffer.concat([Buffer.of(0x30, uri.length + 2, 0x86, uri.length), Buffer.from(uri)]);
}

/** One value with a tag of one octet, in DER as long as it holds less than 64 KiB. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const octets = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...octets), content]);
}

const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const empty = der(0x30);
const extensionRequest = oid('2a864886f70d01090e');
const attributeOf = (...values: readonly Buffer[]): Buffer => der(0x30, extensionRequest, der(0x31, ...values));
const named = der(0x30, der(0x30, oid('551d11'), der(0x04, uriSan(identity))));
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** What a request that we write ourselves has in place of what belongs there. */
interface Handmade {
  readonly name?: Buffer;
  readonly key?: (spki: Buffer) => Buffer;
  readonly attributes?: readonly Buffer[];
  readonly info?: (parts: readonly Buffer[]) => readonly Buffer[];
  readonly parameters?: readonly Buffer[];
  readonly behind?: readonly Buffer[];
  readonly trailing?: Buffer;
}

/** A request of any form under a good signature, PEM. */
function handmade({
  name = empty,
  key = (spki) => spki,
  attributes = [attributeOf(named)],
  ...form
}: Handmade): string {
  const { info = (parts) => parts, parameters = [], behind = [], trailing = Buffer.alloc(0) } = form;
  const spki = key(pair.publicKey.export({ format: 'der', type: 'spki' }));
  const signed = der(0x30, ...info([der(0x02, Buffer.of(0)), name, spki, der(0xa0, ...attributes)]));
  const algorithm = der(0x30, oid('2a8648ce3d040302'), ...parameters);
  const signature = der(0x03, Buffer.of(0), sign('sha256', signed, pair.privateKey));
  const bytes = Buffer.concat([der(0x30, signed, algorithm, signature, ...behind), trailing]);
  return `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}

/** The same value with one more octet in its length, which stands behind the tag at the place and is below 128. */
function longLength(value: Buffer, at: number): Buffer {
  return Buffer.concat([value.subarray(0, at + 1), Buffer.of(0x81), value.subarray(at + 1)]);
}

/** The identifier of the curve with one more octet in its length: the schemas keep parameters as they came. */
function longCurve(spki: Buffer): Buffer {
  const algorithm = longLength(spki.subarray(4, 23), 9);
  return der(0x30, der(0x30, algorithm), spki.subarray(23));
}

const spkiOf = (namedCurve: string): Buffer =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'der', type: 'spki' });

/** The identifier of secp256k1 before a point of P-256. */
function otherCurve(spki: Buffer): Buffer {
  return der(0x30, spkiOf('secp256k1').subarray(2, -68), spki.subarray(-68));
}

/** The same point of P-256 with the parity of its y in front (X9.62, 4.3.6). */
function hybrid(spki: Buffer): Buffer {
  const changed = Buffer.from(spki);
  changed[spki.length - 65] = 6 + ((spki.at(-1) ?? 0) & 1);
  return changed;
}

/** The same point of P-256 by its x alone. */
function compressed(spki: Buffer): Buffer {
  const point = spki.subarray(-65);
  const parity = 2 + ((point.at(-1) ?? 0) & 1);
  return der(0x30, spki.subarray(2, -68), der(0x03, Buffer.of(0, parity), point.subarray(1, 33)));
}
