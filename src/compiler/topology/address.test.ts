import { describe, expect, test } from 'vitest';
import { canonicalBlock, familiesOf, isFixed, isHostName, isSocketAddress } from './address.ts';

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
    ['fd00::1/128', 'fd00::1'],
    ['fd00::1/129', undefined],
    ['fd00::3/127', 'fd00::2/127'],
    ['10.1.2.3/31', '10.1.2.2/31'],
    ['10.1.2.3/0', '0.0.0.0/0'],
    ['fd00::1/0', '::/0'],
    ['10.0.0.0/', undefined],
    ['10.0.0.0/-1', undefined],
    ['10.0.0.0/8.0', undefined],
    ['/8', undefined],
    ['', undefined],
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
    ['a_b.example.', true],
    ['1.a', true],
    ['a.1.', false],
    [`${'a.'.repeat(126)}a`, true],
    [`${'a.'.repeat(126)}ab`, false],
    ['', false],
  ])('%s: %s', (text, expected) => {
    expect(isHostName(text)).toBe(expected);
  });
});

describe('isSocketAddress', () => {
  test.each([
    ['unix:///run/a.sock', true],
    ['unix://@name', true],
    [`unix:///${'a'.repeat(106)}`, true],
    [`unix:///${'a'.repeat(107)}`, false],
    [`unix:///${'é'.repeat(54)}`, false],
    ['unix://a', false],
    ['unix:///', false],
    ['unix:///a\nb', false],
    ['/run/a.sock', false],
  ])('%j: %s', (text, expected) => {
    expect(isSocketAddress(text)).toBe(expected);
  });
});

test('an address or a socket needs no resolver, a name does', () => {
  expect(['10.0.0.1', 'fd00::1', 'unix:///a', 'a.example', '10.0.0.1/32'].map(isFixed)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('families are reported once each, IPv4 first', () => {
  expect(familiesOf(['fd00::1', '10.0.0.1', 'fd00::/64', '10.0.0.0/8'])).toEqual(['ipv4', 'ipv6']);
  expect([familiesOf(['fd00::1']), familiesOf([])]).toEqual([['ipv6'], []]);
});
