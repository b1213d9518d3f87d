import { expect, test } from 'vitest';
import { AsciiSet } from './ascii-set.ts';

const digits = new AsciiSet(/\d/);

test.each([
  ['', true],
  ['0123456789', true],
  ['12a', false],
  ['1\u0661', false],
  ['\uff11', false],
  ['/', false],
  [':', false],
])('of the text %j a set of digits has all: %s', (text, has) => {
  expect(digits.hasAll(text)).toBe(has);
});

test('a set has a character by its code, and none above ASCII', () => {
  expect([0x2f, 0x30, 0x39, 0x3a, 0x80, 0xff11].map((code) => digits.has(code))).toEqual([
    false,
    true,
    true,
    false,
    false,
    false,
  ]);
});
