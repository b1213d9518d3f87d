import { describe, expect, test } from 'vitest';
import { defaultLimits } from './limits.ts';
import { loader } from './load.ts';
import { isSameReading } from './same-reading.ts';

const load = loader(defaultLimits);

describe('isSameReading', () => {
  test.each([
    ['block collections', 'a:\n  b:\n  - c: 1\n    d: x y\n  - - e\n    - f\n'],
    ['comments and blank lines', '# head\n---\n\n# more\na: b # end\n\n  # odd\nc: "d" # e\n# last'],
    ['quoted texts', 'a: "x\\n\\"y\\" \\u00e9"\n"b c": \'it\'\'s: # x\'\n'],
    ['flow collections on one line', 'a: {b: [c, "d", 1.5, null], "e": {}, f: []} # g\nh: [https://a.example/b]\n'],
    ['JSON in flow collections', 'a: {"b":"c","d":[1,{"e":null}],"f":{"g":"h: i"}}\nj: ["k","l"]\n'],
    ['literal blocks', 'a: |\n  x: {\n\n    # y\nb: |-\n    z\n\n\nc:\n- d: |\n    e\n  f: g\n'],
    ['values that are no strings', 'a: 1\nb: -2\nc: 1.50\nd: true\ne: null\nf:\ng: 007x\n'],
    ['lines that end as Windows ends them', 'a: |\r\n  x\r\n  y\r\nb: c\r\n'],
    ['items that are empty', 'a:\n-\n- # b\n- c\nd:\n  -\n'],
    ['the text of kubectl', 'metadata:\n  creationTimestamp: null\n  name: a-5d.x\nspec: {}\n'],
  ])('reads %s', (_, text) => {
    const loaded = load(text);
    expect(loaded.ok && isSameReading(text, loaded.value)).toBe(true);
  });

  test.each<[string, string, unknown]>([
    ['another value', 'a: b\n', { a: 'c' }],
    ['a member more', 'a: b\n', { a: 'b', c: 'd' }],
    ['a member less', 'a: b\nc: d\n', { a: 'b' }],
    ['an item more', 'a: [b]\n', { a: ['b', 'c'] }],
    ['an item less', 'a:\n- b\n- c\n', { a: ['b'] }],
    ['a word as a text', 'a: true\n', { a: 'true' }],
    ['a number as a text', 'a: 1.0\n', { a: '1.0' }],
    ['a word as a key', 'true: b\n', { true: 'b' }],
    ['another end of a literal block', 'a: |-\n  b\n', { a: 'b\n' }],
    ['a literal block that goes on', 'a: |\n  b\n c: d\n', { a: 'b\n' }],
    ['a key without quotes beside its value', 'a: {b:"c"}\n', { a: { b: 'c' } }],
    ['a quoted key beside its value in block style', '"a":"b"\n', { a: 'b' }],
    ['a text over two lines', 'a: b\n c\n', { a: 'b c' }],
    ['quotes over two lines', "a: 'b\n  c'\n", { a: 'b c' }],
    ['an anchor', 'a: &x b\n', { a: 'b' }],
    ['a tag', 'a: !!str b\n', { a: 'b' }],
    ['a tab', 'a:\tb\n', { a: 'b' }],
    ['a key twice', 'a: b\na: b\n', { a: 'b' }],
    ['a text alone', 'a\n', 'a'],
  ])('leaves %s to the position tree', (_, text, value) => {
    expect(isSameReading(text, value)).toBe(false);
  });
});
