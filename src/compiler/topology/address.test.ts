import { describe, expect, test } from 'vitest';
import { canonicalBlock, isHostName } from './address.ts';

describe('canonicalBlock', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['010.0.0.1', undefined],
    ['10.0.0.300', undefined],
    ['1.2', undefined],
    ['FD00:0:0::1', 'fd00::1'],
    ['fe80::1%eth0', undefined],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3/32', '10.1.2.3'],
    ['10.1.2.3/33', undefined],
    ['fd00::1/64', 'fd00::/64'],
    ['10.0.0.0/8/8', undefined],
  ])('%s is %s', (text, expected) => {
    expect(canonicalBlock(text)).toBe(expected);
  });
});

describe('isHostName', () => {
  test.each([
    ['db.example.com', true],
    ['db', true],
    ['10.0.0.300', false],
    ['a..b', false],
    ['*.a.com', false],
    ['-a.com', false],
  ])('%s: %s', (text, expected) => {
    expect(isHostName(text)).toBe(expected);
  });
});
