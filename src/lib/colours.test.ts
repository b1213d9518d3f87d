import { describe, expect, test } from 'vitest';
import { coloursFor } from './colours.ts';

describe('coloursFor', () => {
  test.each([
    ['a terminal', { isTTY: true }, { TERM: 'xterm' }, '\x1b[31mx\x1b[39m'],
    ['a terminal with an empty NO_COLOR', { isTTY: true }, { TERM: 'xterm', NO_COLOR: '' }, '\x1b[31mx\x1b[39m'],
    ['a terminal with NO_COLOR', { isTTY: true }, { TERM: 'xterm', NO_COLOR: '1' }, 'x'],
    ['a terminal that only prints', { isTTY: true }, { TERM: 'dumb' }, 'x'],
    ['a terminal of which nothing is known', { isTTY: true }, {}, 'x'],
    ['a file', {}, { TERM: 'xterm' }, 'x'],
  ])('of %s', (_, stream, environment, expected) => {
    expect(coloursFor(stream, environment).bad('x')).toBe(expected);
  });

  test('put nothing around no text', () => {
    expect(coloursFor({ isTTY: true }, { TERM: 'xterm' }).strong('')).toBe('');
  });
});
