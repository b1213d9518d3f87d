import { describe, expect, test } from 'vitest';
import type { Cidr } from './config.ts';
import { contains, overlaps, parseCidrs, parseInterfaces, parsePorts } from './parse-list.ts';

const never = (message: string): never => {
  throw new Error(message);
};
const range = (text: string): Cidr => parseCidrs(text, never)[0] as Cidr;

describe('parseCidrs', () => {
  test.each([
    ['fd00::ffff:10.0.0.1/128', 'fd00::ffff:a00:1/128'],
    ['::1/128', '::1/128'],
    ['::/96', '::/96'],
    ['::ffff:10.0.0.1/95', '::fffe:0:0/95'],
    ['1::2:10.0.0.1/128', '1::2:a00:1/128'],
    ['10.1.2.3/0', '0.0.0.0/0'],
    ['10.1.2.3/32', '10.1.2.3/32'],
  ])('%s is %s', (text, expected) => {
    expect(range(text).text).toBe(expected);
  });

  test.each([
    ['::ffff:10.0.0.1/128', /mixes the families/],
    ['::ffff:0.0.0.0/96', /mixes the families/],
    ['::10.0.0.1/128', /mixes the families/],
    ['::a00:1/128', /mixes the families/],
    ['::1:0/112', /mixes the families/],
    ['fd00::/129', /has no prefix length from 0 to 128$/],
    ['10.0.0.0/33', /has no prefix length from 0 to 32$/],
    ['10.0.0.0/8/8', /has no prefix length from 0 to 32$/],
    ['10.0.0.1', /has no prefix length, one address is "10.0.0.1\/32"$/],
    ['fd00::1', /has no prefix length, one address is "fd00::1\/128"$/],
    ['*', /stands alone/],
  ])('refuses %s', (text, message) => {
    const told: string[] = [];
    expect(parseCidrs(text, (it) => told.push(it))).toEqual([]);
    expect(told).toEqual([expect.stringMatching(message)]);
  });
});

test.each([
  ['80', '80', true],
  ['1:80', '80:90', true],
  ['80:90', '1:80', true],
  ['1:79', '80:90', false],
  ['91', '80:90', false],
  ['1:100', '80', true],
])('%s and %s share a port: %s', (a, b, expected) => {
  const [first, second] = [parsePorts(a, never)[0], parsePorts(b, never)[0]];
  expect(first && second && overlaps(first, second)).toBe(expected);
});

test.each([
  ['10.0.0.0/8', '10.0.0.0/8', true],
  ['10.0.0.0/8', '10.1.0.0/16', true],
  ['10.1.0.0/16', '10.0.0.0/8', false],
  ['10.0.0.0/8', '11.0.0.0/8', false],
  ['fd00::/8', 'fd00::1/128', true],
  ['fd00::/8', 'fc00::/8', false],
  ['0.0.0.0/0', '::/0', false],
])('%s contains %s: %s', (outer, inner, expected) => {
  expect(contains(range(outer), range(inner))).toBe(expected);
});

test.each([
  ['eth0,veth+, a.b:1@x_-', ['eth0', 'veth+', 'a.b:1@x_-']],
  ['a23456789012345', ['a23456789012345']],
  ['a234567890123456', []],
  ['.,..,+,a+b,a/b,lo', []],
])('interfaces of "%s" are %j', (text, expected) => {
  expect(parseInterfaces(text, () => undefined)).toEqual(expected);
});
