import { describe, expect, test } from 'vitest';
import { findTokens } from './find-tokens.ts';

const places = {
  headers: [
    { name: 'authorization', prefix: 'Bearer ' },
    { name: 'x-token', prefix: '' },
  ],
  params: ['token'],
  cookies: ['session'],
};
const texts = (path: string, ...headers: (readonly [string, string])[]): readonly string[] =>
  findTokens(places, { path, headers }).map(({ text }) => text);

describe('findTokens', () => {
  // Each was seen at the real Envoy.
  test.each<[what: string, path: string, headers: readonly (readonly [string, string])[], found: readonly string[]]>([
    ['a token after its prefix', '/', [['Authorization', 'Bearer a.b.c']], ['a.b.c']],
    ['a token after blanks, with what follows it', '/', [['authorization', 'Bearer  a.b.c x']], ['a.b.c x']],
    ['a prefix in the middle of a value', '/', [['authorization', 'Basic Bearer a.b.c']], ['a.b.c']],
    ['no token where the prefix has another case', '/', [['authorization', 'bearer a.b.c']], []],
    [
      'a token of each line of a header',
      '/',
      [
        ['x-token', 'a'],
        ['x-token', 'b'],
      ],
      ['a', 'b'],
    ],
    ['the first of two parameters', '/?token=a&token=b', [], ['a']],
    ['the first of two cookies, without its quotes', '/', [['cookie', 'x=y; session="a"; session=b']], ['a']],
    ['blanks around a value, which HTTP/2 leaves there', '/', [['x-token', ' a ']], [' a ']],
    ['the whole value where nothing of a token follows the prefix', '/', [['authorization', 'Bearer ']], ['Bearer ']],
    ['blanks of a parameter', '/?token=%20a', [], [' a']],
    ['blanks of a cookie, and a quote without another', '/', [['cookie', 'x=y;  session= "a']], [' "a']],
    ['no cookie whose name has a blank behind it', '/', [['cookie', 'session =a']], []],
    ['an empty cookie', '/', [['cookie', 'session=']], ['']],
  ])('finds %s', (_, path, headers, found) => {
    expect(texts(path, ...headers)).toEqual(found);
  });
});
