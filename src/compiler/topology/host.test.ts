import { describe, expect, test } from 'vitest';
import { compareSpecificity, intersect, matches, mostSpecific, resolveShortName, subsetOf } from './host.ts';

describe('subsetOf', () => {
  test.each([
    ['a.com', 'a.com', true],
    ['a.com', 'b.com', false],
    ['x.a.com', '*.a.com', true],
    ['a.com', '*.a.com', false],
    ['*.x.com', '*.com', true],
    ['*.com', '*.x.com', false],
    ['*.a.com', 'a.com', false],
    ['*', '*', true],
    ['a', '*', true],
  ])('%s under %s: %s', (host, other, expected) => {
    expect(subsetOf(host, other)).toBe(expected);
    if (expected) expect(matches(other, host)).toBe(true);
  });
});

describe('mostSpecific', () => {
  const sorted = ['*', '*.com', 'b.com', '*.a.com', 'a.com'].sort(compareSpecificity);

  test('sorts plain names first, longer before shorter', () => {
    expect(sorted).toEqual(['a.com', 'b.com', '*.a.com', '*.com', '*']);
  });

  test.each([
    ['a.com', 'a.com'],
    ['x.a.com', '*.a.com'],
    ['c.com', '*.com'],
    ['*.a.com', '*.a.com'],
    ['x.org', '*'],
  ])('finds for %s the pattern %s', (host, expected) => {
    expect(mostSpecific(host, sorted)).toBe(expected);
  });

  test('finds nothing where no pattern covers the host', () => {
    expect(mostSpecific('x.org', ['a.com', '*.com'])).toBeUndefined();
  });
});

describe('resolveShortName', () => {
  test.each([
    ['web', 'web.shop.svc.cluster.local'],
    ['Web', 'web.shop.svc.cluster.local'],
    ['web.other', 'web.other'],
    ['*', '*'],
    ['*.local', '*.local'],
  ])('%s beside the namespace shop is %s', (host, expected) => {
    expect(resolveShortName(host, 'shop', 'cluster.local')).toBe(expected);
  });
});

describe('intersect', () => {
  test.each([
    [['foo.com', 'bar.com'], ['*.com'], ['foo.com', 'bar.com']],
    [
      ['foo.com', '*.net'],
      ['*.com', 'bar.net'],
      ['foo.com', 'bar.net'],
    ],
    [['foo.com', '*.net'], ['*.bar.net'], ['*.bar.net']],
    [['foo.com'], ['bar.com'], []],
  ])('%j and %j share %j', (a, b, expected) => {
    expect(intersect(a, b)).toEqual(expected);
  });
});
