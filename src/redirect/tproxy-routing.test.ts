import { describe, expect, test } from 'vitest';
import { hasLocalDefault } from './tproxy-routing.ts';

const main = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
        |-- 127.0.0.0
           /8 host LOCAL
Local:
  +-- 127.0.0.0/8 2 0 2
     |-- 127.0.0.1
        /32 host LOCAL
`;

describe('hasLocalDefault', () => {
  test.each([
    ['a machine without TPROXY', main, false],
    ['a routing table for marked packets', `${main}Id 133:\n  |-- 0.0.0.0\n     /0 host LOCAL\n`, true],
    [
      'one with other routes',
      `Id 133:\n  +-- 0.0.0.0/0 2 0 2\n     |-- 0.0.0.0\n        /8 link UNICAST\n        /0 host LOCAL\n`,
      true,
    ],
    ['a local route to the unspecified address alone', 'Id 9:\n  |-- 0.0.0.0\n     /32 host LOCAL\n', false],
  ])('reads %s', (_, tables, expected) => {
    expect(hasLocalDefault(tables)).toBe(expected);
  });
});
