import { expect, test } from 'vitest';
import { parseAddress } from './address.ts';

test.each([
  [':15012', { host: '', port: 15012 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['[::1]:1', { host: '::1', port: 1 }],
  ['localhost:80', { host: 'localhost', port: 80 }],
  ['localhost', undefined],
  ['::1:80', undefined],
  ['[localhost]:80', undefined],
  [':65536', undefined],
  [':-1', undefined],
])('parseAddress reads %s', (text, expected) => {
  expect(parseAddress(text)).toEqual(expected);
});
