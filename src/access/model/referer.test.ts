import { expect, test } from 'vitest';
import { isReferer } from './referer.ts';

test.each([
  ['a path', '/a/b?c:d', true],
  ['a name', 'abc', true],
  ['a URL', 'android-app://x/y?z', true],
  ['a URL with an empty user and an empty fragment', 'https://@a/#', true],
  ['characters that no URL has behind its host', 'https://a/{"<', true],
  ['the same without a host', '/{"<', false],
  ['a user', 'https://u@a/', false],
  ['a fragment', 'https://a/#f', false],
  ['a colon before the first slash', 'about:blank', false],
  ['no host', 'https:///x', false],
  ['the last port', 'https://a:65535', true],
  ['a port behind the last', 'https://a:65536', false],
  ['an address of IPv6', 'https://[::1]:80/', true],
  ['an address of IPv4 in the form of IPv6', 'https://[::ffff:1.2.3.4]/', true],
  ['a needless zero in one', 'https://[::ffff:01.2.3.4]/', false],
  ['no address in brackets', 'https://[1]', false],
  ['the network interface of an address', 'https://[fe80::1%eth0]/', undefined],
  ['a blank', 'a b', false],
  ['a byte that is not ASCII', '/\xe9', false],
])('a referer with %s: %s stays: %s', (_, text, stays) => {
  expect(isReferer(text)).toBe(stays);
});
