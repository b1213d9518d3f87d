import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../testing/effort.ts';
import { parseRequest } from './request.ts';

/** A value of DER: its tag, and its bytes or its parts. */
interface Node {
  tag: number;
  content: Buffer | Node[];
}

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const spkiOf = (key = pair.publicKey): Buffer => key.export({ format: 'der', type: 'spki' });
const uri = Buffer.from('spiffe://cluster.local/ns/foo/sa/httpbin');
/** New each time: what is made of it is changed. */
const names = (): Node => node(0x30, id('551d11'), bytes(0x04, write(node(0x30, bytes(0x86, uri)))));

const goodInfo = (key = spkiOf()): Node =>
  node(
    0x30,
    bytes(0x02, Buffer.of(0)),
    node(0x30),
    read(key),
    node(0xa0, node(0x30, id('2a864886f70d01090e'), node(0x31, node(0x30, names())))),
  );

describe('parseRequest, of what an attacker sends', () => {
  test('accepts the request that the tests below change', () => {
    expect(parseRequest(signed(goodInfo())).request?.uri).toBe(String(uri));
  });

  test('answers any content with a valid signature with a request or a problem, and keeps the key unchanged', () => {
    const change = fc.record({ at: fc.nat(), how: fc.nat(6), byte: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const info = goodInfo();
        for (const { at, how, byte } of changes) mutate(all(info)[at % all(info).length] as Node, how, byte);
        const { request, problem } = parseRequest(signed(info));
        if (request === undefined) expect(problem).toBeTypeOf('string');
        else expect(request.publicKey).toEqual(spkiOf());
      }),
      runs(500),
    );
  });

  test('refuses an RSA key whose exponent would keep it busy, before it checks the signature', () => {
    const { n, d } = generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey.export({ format: 'jwk' });
    const integer = (text = ''): Node => bytes(0x02, Buffer.concat([Buffer.of(0), Buffer.from(text, 'base64url')]));
    const algorithm = node(0x30, id('2a864886f70d010101'), bytes(0x05, Buffer.alloc(0)));
    const key = write(node(0x30, algorithm, bits(write(node(0x30, integer(n), integer(d))))));
    expect(parseRequest(signed(goodInfo(key))).problem).toMatch(/even or larger than 2147483647/);
  });

  test('reads nothing that is longer than 8 KiB: tiny values by the thousand take long', () => {
    const many = node(0x30, ...Array.from({ length: 4_000 }, () => node(0x30)));
    expect(parseRequest(pem(write(many))).problem).toMatch(/has \d+ characters, more than 8192/);
  });
});

function node(tag: number, ...content: Node[]): Node {
  return { tag, content };
}

function bytes(tag: number, content: Buffer): Node {
  return { tag, content };
}

function bits(content: Buffer): Node {
  return bytes(0x03, Buffer.concat([Buffer.of(0), content]));
}

function id(hex: string): Node {
  return bytes(0x06, Buffer.from(hex, 'hex'));
}

/** In DER, as long as each value is shorter than 64 KiB. */
function write({ tag, content }: Node): Buffer {
  const inner = Buffer.isBuffer(content) ? content : Buffer.concat(content.map(write));
  const { length } = inner;
  const octets = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...octets), inner]);
}

/** Of what `write` writes. */
function read(text: Buffer): Node {
  const size = (text[1] ?? 0) < 0x80 ? 0 : (text[1] ?? 0) & 0x7f;
  const length = size === 0 ? (text[1] ?? 0) : text.readUIntBE(2, size);
  const [tag = 0, content] = [text[0], text.subarray(2 + size, 2 + size + length)];
  if ((tag & 0x20) === 0) return { tag, content };
  const parts: Node[] = [];
  for (let rest = content; rest.length > 0; rest = rest.subarray(write(parts.at(-1) as Node).length))
    parts.push(read(rest));
  return { tag, content: parts };
}

function all(tree: Node): Node[] {
  return [tree, ...(Buffer.isBuffer(tree.content) ? [] : tree.content.flatMap(all))];
}

function mutate(target: Node, how: number, byte: number): void {
  const { content } = target;
  if (how === 0) target.tag = byte;
  else if (how === 1) target.content = Buffer.concat([write(target), Buffer.of(byte)]);
  else if (Buffer.isBuffer(content)) {
    if (how < 4) target.content = content.subarray(0, byte % (content.length + 1));
    else target.content = Buffer.from(content.map((octet, i) => (i === byte % content.length ? octet ^ how : octet)));
  } else if (how === 2) content.splice(byte % (content.length + 1), 1);
  else if (how === 3) content.push(...content.slice(0, 1));
  else if (how === 4) content.splice(byte % (content.length + 1), 0, bytes(byte, Buffer.alloc(0)));
  else content.reverse();
}

function signed(info: Node): string {
  const algorithm = node(0x30, id('2a8648ce3d040302'));
  return pem(write(node(0x30, info, algorithm, bits(sign('sha256', write(info), pair.privateKey)))));
}

function pem(text: Buffer): string {
  return `-----BEGIN CERTIFICATE REQUEST-----\n${text.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}
