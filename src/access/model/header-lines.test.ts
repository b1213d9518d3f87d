import { describe, expect, test } from 'vitest';
import { HeaderLines } from './header-lines.ts';

type Line = readonly [name: string, value: string];

const given: readonly Line[] = [
  ['host', 'web'],
  ['x-user', 'ann'],
  ['x-user', 'bob'],
];

const changes: readonly [string, (lines: HeaderLines) => void, readonly Line[]][] = [
  ['add', (lines) => lines.add('x-team', 'red'), [...given, ['x-team', 'red']]],
  [
    'set',
    (lines) => lines.set('x-user', 'eve'),
    [
      ['host', 'web'],
      ['x-user', 'eve'],
    ],
  ],
  ['delete', (lines) => lines.delete('x-user'), [['host', 'web']]],
];

/** Lines whose list is shared with others, and lines that already have one of their own. */
const beginnings: readonly [string, () => HeaderLines][] = [
  ['as they were given', () => new HeaderLines(given)],
  ['that were changed before', ownLines],
];

function ownLines(): HeaderLines {
  const lines = new HeaderLines(given.slice(0, 2));
  lines.add('x-user', 'bob');
  return lines;
}

const cases = beginnings.flatMap(([which, begin]) =>
  changes.map(([name, change, changed]) => ({ which, begin, name, change, changed })),
);

describe('HeaderLines', () => {
  test.each(cases)('$name on lines $which does not show in a copy', ({ begin, change, changed }) => {
    const lines = begin();
    const copy = lines.copy();
    change(lines);
    expect([lines.freeze(), copy.freeze()]).toEqual([changed, given]);
  });

  test.each(cases)('$name on a copy of lines $which does not show in them', ({ begin, change, changed }) => {
    const lines = begin();
    const copy = lines.copy();
    change(copy);
    expect([lines.freeze(), copy.freeze()]).toEqual([given, changed]);
  });

  test.each(cases)('$name on lines $which leaves the list that was frozen', ({ begin, change, changed }) => {
    const lines = begin();
    const frozen = lines.freeze();
    change(lines);
    expect([frozen, lines.freeze()]).toEqual([given, changed]);
    // Once more, since the lines have a list of their own now.
    const again = lines.freeze();
    lines.add('x-last', 'one');
    expect([frozen, again]).toEqual([given, changed]);
  });

  test.each(changes)('%s leaves the list that they were made of', (_, change, changed) => {
    const list = [...given];
    const lines = new HeaderLines(list);
    change(lines);
    expect([list, lines.freeze()]).toEqual([given, changed]);
  });

  test('a copy of a copy, and each of them, changes alone', () => {
    const all = [new HeaderLines(given)];
    for (let i = 0; i < 2; i++) all.push(all.at(-1)!.copy());
    for (const [i, lines] of all.entries()) lines.set('x-user', String(i));
    expect(all.map((lines) => lines.get('x-user'))).toEqual([['0'], ['1'], ['2']]);
  });

  test('what is told of a copy is not told of the others', () => {
    const lines = new HeaderLines(given, ['host', 'x-user']);
    const copy = lines.copy();
    copy.forget('host');
    lines.delete('x-new');
    expect([lines.told, copy.told]).toEqual([['host', 'x-user', 'x-new'], ['x-user']]);
  });

  test('names are in lower case, and the list they were given in stays', () => {
    const list: Line[] = [['X-User', 'Ann']];
    expect(new HeaderLines(list).freeze()).toEqual([['x-user', 'Ann']]);
    expect(list).toEqual([['X-User', 'Ann']]);
  });
});
