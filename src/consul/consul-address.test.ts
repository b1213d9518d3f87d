import { expect, test } from 'vitest';
import { parseConsulAddress } from './consul-address.ts';

test.each([
  [
    'http://127.0.0.1:8500',
    { id: 'consul', origin: 'http://127.0.0.1:8500', datacenter: undefined, allowsStale: false },
  ],
  [
    'https://consul:8501/?dc=West_1',
    { id: 'west-1', origin: 'https://consul:8501', datacenter: 'West_1', allowsStale: false },
  ],
  [
    'east=http://[::1]:8500?stale',
    { id: 'east', origin: 'http://[::1]:8500', datacenter: undefined, allowsStale: true },
  ],
])('reads %s', (text, expected) => {
  expect(parseConsulAddress(text)).toEqual(expected);
});

test.each([
  '',
  'consul',
  'consul:8500',
  'unix:///run/consul.sock',
  'http://consul:8500/v1',
  'http://token@consul:8500',
  'http://consul:8500?token=x',
  'http://consul:8500?dc=a b',
  'West=http://consul:8500',
])('refuses "%s", and says what is expected', (text) => {
  expect(parseConsulAddress(text)).toEqual({ expected: expect.stringContaining('[NAME=]http(s)://HOST:PORT') });
});
