import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseRequest } from './request.ts';

const identity = 'spiffe://cluster.local/ns/foo/sa/httpbin';

/** DER written by hand, so that it can say what no library would write. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const length = Buffer.from(content.length.toString(16).padStart(4, '0'), 'hex');
  return Buffer.concat([
    Buffer.of(tag, 0x82 - (length[0] === 0 ? 1 : 0)),
    length.subarray(length[0] === 0 ? 1 : 0),
    content,
  ]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const set = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts);
const bits = (bytes: Uint8Array): Buffer => der(0x03, Buffer.of(0), bytes);
const id = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const none = der(0x05);
const extensionRequest = id('2a864886f70d01090e');
const subjectAltName = id('551d11');
const named = sequence(
  sequence(subjectAltName, Buffer.from('0101ff', 'hex'), der(0x04, sequence(der(0x86, Buffer.from(identity))))),
);
const attribute = sequence(extensionRequest, set(named));
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });

describe('parseRequest, of requests with a good signature', () => {
  test('takes what the table below changes one thing of', () => {
    expect(parseRequest(handmade({})).request?.uri).toBe(identity);
  });

  // openssl refuses all but the last two as well: there it would take a key that others cannot read.
  test.each<[string, Handmade]>([
    ['a part behind the signature', { behind: [none] }],
    ['a part behind the attributes', { info: (parts) => [...parts, none] }],
    ['no key', { info: (parts) => parts.slice(0, 2) }],
    ['three parts of the algorithm', { parameters: [none, none] }],
    ['an attribute without values', { attributes: [sequence(extensionRequest)] }],
    ['NULL for the extensions', { attributes: [sequence(extensionRequest, set(none))] }],
    ['extensions twice in one attribute', { attributes: [sequence(extensionRequest, set(named, named))] }],
    ['the attribute twice', { attributes: [attribute, attribute] }],
    ['a subject that is not UTF-8', { name: nameOf(der(0x0c, Buffer.of(0xff))) }],
    ['a type of the subject with a cut arc', { name: nameOf(der(0x0c), der(0x06, Buffer.of(0x85))) }],
    ['a key in longer lengths than DER has', { key: (spki) => longLength(spki, 3) }],
    ['a compressed point', { key: compressed }],
  ])('refuses %s', (_, form) => {
    expect(parseRequest(handmade(form)).problem).toMatch(/^the (signing|key of the signing) request /);
  });

  test('refuses an RSA key whose exponent would keep it busy, before it checks the signature', () => {
    const { n, d } = generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey.export({ format: 'jwk' });
    const integer = (text = ''): Buffer => der(0x02, Buffer.of(0), Buffer.from(text, 'base64url'));
    const rsa = sequence(id('2a864886f70d010101'), none);
    const spki = sequence(rsa, bits(sequence(integer(n), integer(d))));
    expect(parseRequest(handmade({ key: () => spki })).problem).toMatch(/even or larger than 2147483647/);
  });
});

/** What a request that we write ourselves has in place of what belongs there. */
interface Handmade {
  readonly name?: Buffer;
  readonly key?: (spki: Buffer) => Buffer;
  readonly attributes?: readonly Buffer[];
  readonly info?: (parts: readonly Buffer[]) => readonly Buffer[];
  readonly parameters?: readonly Buffer[];
  readonly behind?: readonly Buffer[];
}

/** A request of any form under a good signature, PEM. */
function handmade({ name = sequence(), key = (spki) => spki, attributes = [attribute], ...form }: Handmade): string {
  const { info = (parts) => parts, parameters = [], behind = [] } = form;
  const spki = key(pair.publicKey.export({ format: 'der', type: 'spki' }));
  const parts = [der(0x02, Buffer.of(0)), name, spki, der(0xa0, ...attributes)];
  const signed = sequence(...info(parts));
  const algorithm = sequence(id('2a8648ce3d040302'), ...parameters);
  const bytes = sequence(signed, algorithm, bits(sign('sha256', signed, pair.privateKey)), ...behind);
  return `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}

function nameOf(value: Buffer, type = id('550403')): Buffer {
  return sequence(set(sequence(type, value)));
}

/** The same value with one more octet of length at the place, where a length below 128 stands. */
function longLength(spki: Buffer, at: number): Buffer {
  const inner = Buffer.concat([spki.subarray(2, at + 1), Buffer.of(0x81), spki.subarray(at + 1)]);
  return sequence(inner);
}

/** The same point of P-256 by its x alone. */
function compressed(spki: Buffer): Buffer {
  const point = spki.subarray(-65);
  const sign = 2 + ((point.at(-1) ?? 0) & 1);
  const algorithm = spki.subarray(2, -68);
  return sequence(algorithm, bits(Buffer.concat([Buffer.of(sign), point.subarray(1, 33)])));
}
