import { describe, expect, test } from 'vitest';
import { isHostAndPort, plainAddress, reachableAddresses } from './address.ts';

describe('isHostAndPort', () => {
  test.each(['a:1', 'ca.example:65535', '10.0.0.1:80', '[fd00::1]:80'])('takes %j', (text) => {
    expect(isHostAndPort(text)).toBe(true);
  });

  test.each([
    '',
    'a',
    'a:',
    ':1',
    'a:0',
    'a:65536',
    'fd00::1:80',
    '[10.0.0.1]:80',
    '[fd00::1%eth0]:80',
    'a b:1',
    'a~:1',
  ])('refuses %j', (text) => {
    expect(isHostAndPort(text)).toBe(false);
  });
});

describe('reachableAddresses', () => {
  test('leaves out loopback, link-local, multicast and unspecified ones, and unwraps IPv4', () => {
    const all = ['127.0.0.1', '::1', '169.254.1.1', 'fe80::1', 'ff02::1', '224.0.0.1', '0.0.0.0', '::'];
    const reachable = ['::ffff:10.0.0.1', 'fd00::7', '10.0.0.1'];
    const seen = [...all, ...reachable].map((address) => ({ address, internal: false }));
    expect(reachableAddresses([{ address: '10.9.9.9', internal: true }, ...seen])).toEqual(['10.0.0.1', 'fd00::7']);
  });
});

describe('plainAddress', () => {
  test.each([
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.1'],
    ['FD00::0:7', 'fd00::7'],
    ['10.0.0', undefined],
    ['10.0.0.1 fd00::7', undefined],
    ['fe80::1%eth0', undefined],
    ['010.0.0.1', undefined],
  ])('makes of %j %j', (text, address) => {
    expect(plainAddress(text)).toBe(address);
  });
});
