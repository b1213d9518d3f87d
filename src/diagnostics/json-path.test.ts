import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { formatPath, parsePath } from './json-path.ts';
import { type JsonContents, jsonPathAt, jsonRangeOf } from './json-positions.ts';

describe('formatPath', () => {
  test.each([
    [[], ''],
    [['filter_chains', 0, 'typed_config', '@type'], 'filter_chains[0].typed_config.@type'],
    [['options', 'a.b', 'c'], 'options["a.b"].c'],
    [['q"uote', 3], '["q\\"uote"][3]'],
  ])('writes %j', (path, text) => {
    expect(formatPath(path)).toBe(text);
  });

  test('writes what parsePath reads', () => {
    const step = fc.oneof(fc.string(), fc.nat());
    fc.assert(
      fc.property(fc.array(step), (path) => {
        expect(parsePath(formatPath(path))).toEqual(path);
      }),
      runs(),
    );
  });
});

describe('jsonPathAt', () => {
  const value = { spec: { rules: [{ to: [] }, { from: [{ 'a.b': 'x "y" {' }] }], action: 'DENY' }, empty: {} };
  const text = JSON.stringify(value, undefined, 1);

  test.each([
    ['"DENY"', 'spec.action'],
    ['"action"', 'spec.action'],
    ['"to"', 'spec.rules[0].to'],
    ['"a.b"', 'spec.rules[1].from[0]["a.b"]'],
    ['"empty"', 'empty'],
  ])('finds what stands at %s', (part, path) => {
    expect(formatPath(jsonPathAt(text, text.indexOf(part)))).toBe(path);
  });

  test('is the root where no member stands', () => {
    expect([jsonPathAt(text, 0), jsonPathAt(text, text.length), jsonPathAt('"x"', 1)]).toEqual([[], [], []]);
  });

  test('finds each value that jsonRangeOf finds', () => {
    const path = ['spec', 'rules', 1, 'from', 0, 'a.b'];
    for (let length = 0; length <= path.length; length++) {
      const { start } = jsonRangeOf(text, path.slice(0, length), 'value');
      expect(jsonPathAt(text, start)).toEqual(path.slice(0, length));
    }
  });

  test('finds the same with what was found before, and reads nothing of it again', () => {
    const known: JsonContents = new Map();
    const offsets = ['"a.b"', '"DENY"', '"to"', '"empty"'].map((part) => text.indexOf(part));
    const paths = () => offsets.map((offset) => jsonPathAt(text, offset, known));
    expect(paths()).toEqual(offsets.map((offset) => jsonPathAt(text, offset)));
    const before = [...known];
    paths();
    expect(known.size).toBe(before.length);
    for (const [start, contents] of before) expect(known.get(start)).toBe(contents);
  });
});

describe('jsonRangeOf', () => {
  const text = JSON.stringify({ rules: [{ to: ['a', 'b'] }, { to: ['c'] }] }, undefined, 1);
  const paths = [['rules', 1, 'to', 0], ['rules', 0, 'to', 1], ['rules', 1], ['rules', 2], ['rules', 'x'], []];

  test('finds the same with what was found before', () => {
    const known = new Map<number, readonly number[]>();
    for (const path of [...paths, ...paths]) {
      expect(jsonRangeOf(text, path, 'value', known)).toEqual(jsonRangeOf(text, path, 'value'));
    }
    expect([...known.keys()].map((start) => text[start])).toEqual(['[', '[', '[']);
  });

  test('reads no array again of which it knows the elements', () => {
    const known = new Map([[text.indexOf('['), [text.indexOf('"c"')]]]);
    const { start, end } = jsonRangeOf(text, ['rules', 0], 'value', known);
    expect(text.slice(start, end)).toBe('"c"');
  });
});
