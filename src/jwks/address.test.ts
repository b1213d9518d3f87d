import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { addressKind } from './address.ts';

const rows: readonly (readonly [string, ReturnType<typeof addressKind>])[] = [
  ['1.1.1.1', undefined],
  ['2606:4700:4700::1111', undefined],
  ['64:ff9b::101:101', undefined],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:0:7f00:1', 'loopback'],
  ['::7f00:1', 'loopback'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['64:ff9b:1::7f00:1', 'loopback'],
  ['2002:7f00:1::', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['100.64.0.1', 'private'],
  ['64:ff9b::a00:1', 'private'],
  ['fd12::1', 'private'],
  ['169.254.1.1', 'link-local'],
  ['fe80::1', 'link-local'],
  ['febf::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['169.254.169.254', 'metadata'],
  ['::ffff:a9fe:a9fe', 'metadata'],
  ['64:ff9b::a9fe:a9fe', 'metadata'],
  ['2002:a9fe:a9fe::1', 'metadata'],
  ['168.63.129.16', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['192.0.0.192', 'metadata'],
  ['fd00:ec2::254', 'metadata'],
  ['fd20:ce::254', 'metadata'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['::', 'unspecified'],
  ['::ffff:0.0.0.0', 'unspecified'],
  ['224.0.0.1', 'multicast'],
  ['255.255.255.255', 'multicast'],
  ['ff02::1', 'multicast'],
  ['::ffff:8.8.8.8', 'special-purpose'],
  ['64:ff9b:1::808:808', 'special-purpose'],
  ['2002:808:808::1', 'special-purpose'],
  ['2001::1', 'special-purpose'],
  ['2001:db8::1', 'special-purpose'],
  ['fec0::1', 'special-purpose'],
  ['4000::1', 'special-purpose'],
  ['192.0.2.1', 'special-purpose'],
  ['198.18.0.1', 'special-purpose'],
  ['240.0.0.1', 'special-purpose'],
  ['no address', 'special-purpose'],
];

describe('addressKind', () => {
  test.each(rows)('calls %s %s', (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });

  test('never calls a wrapped IPv4 address public that is not public itself', () => {
    const wrap = [
      (hex: string) => `::ffff:${hex}`,
      (hex: string) => `::ffff:0:${hex}`,
      (hex: string) => `::${hex}`,
      (hex: string) => `64:ff9b::${hex}`,
      (hex: string) => `64:ff9b:1::${hex}`,
      (hex: string) => `2002:${hex}::1`,
    ];
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom(...wrap), (address, form) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const wrapped = form(`${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`);
        if (addressKind(address) !== undefined) expect(addressKind(wrapped)).toBeDefined();
      }),
      runs(),
    );
  });
});
