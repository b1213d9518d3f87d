import { describe, expect, test } from 'vitest';
import { SourceLimits, sourceOf } from './source-limits.ts';

describe('SourceLimits', () => {
  test('answers as many datagrams of a source as its rate has, then one in four, cut', () => {
    const limits = new SourceLimits({ perSecond: 10, burst: 3 });
    const heard = Array.from({ length: 11 }, () => limits.ofDatagram('192.0.2.1', 0));
    expect(heard).toEqual(['whole', 'whole', 'whole', 'cut', 'none', 'none', 'none', 'cut', 'none', 'none', 'none']);
    expect(limits.ofDatagram('192.0.2.2', 0)).toBe('whole');
    expect(limits.ofDatagram('192.0.2.1', 100)).toBe('whole');
  });

  test('lets messages of connections wait, which datagrams with a forged source do not make longer', () => {
    const limits = new SourceLimits({ perSecond: 10, burst: 2 });
    for (let n = 0; n < 10; n++) limits.ofDatagram('192.0.2.1', 0);
    expect(Array.from({ length: 4 }, () => limits.waitMs('192.0.2.1', 0))).toEqual([0, 0, 100, 200]);
  });
});

describe('sourceOf', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3::4', '20010db800010002'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '20010db800010002'],
    ['fe80::1%eth0', 'fe80000000000000'],
    ['::1', '0000000000000000'],
  ])('takes %s for %s', (address, source) => {
    expect(sourceOf(address)).toBe(source);
  });
});
