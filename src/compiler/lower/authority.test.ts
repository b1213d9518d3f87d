import { describe, expect, test } from 'vitest';
import { canonicalAuthority, canonicalOrNoAuthority, withAnyPort } from './authority.ts';

/** Envoy compares the whole text. */
const matches = ({ value }: { readonly value: string }, text: string): boolean => {
  const isCaseless = value.startsWith('(?i)');
  return new RegExp(`^(?:${value.replace('(?i)', '')})$`, isCaseless ? 'i' : '').test(text);
};

describe('canonicalAuthority', () => {
  test.each(['h', 'a.example.com', 'A-b_c.Example:8080', '10.0.0.1:80', '[2001:db8::1]', '[::ffff:10.0.0.1]:443'])(
    'is %s',
    (authority) => {
      expect(matches(canonicalAuthority, authority)).toBe(true);
    },
  );

  test.each([
    ['', 'no host'],
    ['h.', 'a final dot, which Envoy has taken away before'],
    ['a..b', 'an empty label'],
    ['.example.com', 'an empty label in front'],
    ['h:', 'a port without digits'],
    ['h:80:80', 'two ports'],
    ['h:abc', 'a port that is none'],
    ['internal.corp:80.example.com', 'a host behind the port'],
    ['internal.corp:.example.com', 'a host behind the colon'],
    ['[x.example.com:]internal.corp', 'a host behind brackets'],
    ['[::1].example.com', 'labels behind an address'],
    ['u@h', 'user information'],
    ['a,b', 'two Host lines joined'],
    ['a b', 'a blank'],
    ['h%2e', 'an escape'],
    ['*.example.com', 'a star'],
    ['\u212a.example', 'a letter that is a K in another case'],
  ])('is not %j: %s', (authority) => {
    expect(matches(canonicalAuthority, authority)).toBe(false);
    expect(matches(canonicalOrNoAuthority, authority)).toBe(authority === '');
  });
});

describe('withAnyPort', () => {
  test.each([
    ['h', true],
    ['H:80', true],
    ['h:', false],
    ['h:80.example.com', false],
    ['h:80:80', false],
    ['xh', false],
  ])('meets %s: %s', (authority, isMet) => {
    expect(matches(withAnyPort('h'), authority)).toBe(isMet);
  });
});
