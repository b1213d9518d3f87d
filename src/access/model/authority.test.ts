import { describe, expect, test } from 'vitest';
import { stripAuthority, withoutPort } from './authority.ts';

const strips = { stripsAnyPort: true, stripsTrailingDot: true };

describe('stripAuthority', () => {
  // Each was seen at the real Envoy.
  test.each([
    ['h', 'h'],
    ['h:80', 'h'],
    ['h.', 'h'],
    ['h.:80', 'h'],
    ['h:', 'h:'],
    ['h:abc', 'h:abc'],
    ['[::1]:80', '[::1]'],
    ['[::1]', '[::1]'],
  ])('makes of %s: %s', (authority, expected) => {
    expect(stripAuthority(authority, strips)).toBe(expected);
  });

  test('leaves an authority as it is where nothing is to be stripped', () => {
    expect(stripAuthority('h.:80', { stripsAnyPort: false, stripsTrailingDot: false })).toBe('h.:80');
  });
});

describe('withoutPort', () => {
  test.each([
    ['h:abc', 'h'],
    ['h:', 'h'],
    ['[::1]', '[::1]'],
  ])('makes of %s: %s', (authority, expected) => {
    expect(withoutPort(authority)).toBe(expected);
  });
});
