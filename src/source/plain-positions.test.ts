import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonPath } from '../diagnostics/span.ts';
import { cutDocuments } from './cut.ts';
import { defaultLimits } from './limits.ts';
import { loader } from './load.ts';
import { plainPositions, type RangeOf } from './plain-positions.ts';
import { positionTree } from './position-tree.ts';

const load = loader(defaultLimits);

test('every place in a fixture is where the position tree has it', () => {
  let plain = 0;
  const texts = documents();
  for (const text of texts) {
    const loaded = load(text);
    const rangeOf = loaded.ok ? plainPositions(text, loaded.value) : undefined;
    if (!loaded.ok || rangeOf === undefined) continue;
    plain += 1;
    const tree = positionTree(text);
    expect(tree.reading).toStrictEqual({ json: loaded.value });
    expect(placesOf(loaded.value, rangeOf), text).toStrictEqual(placesOf(loaded.value, tree.rangeOf));
  }
  expect(plain / texts.length).toBeGreaterThan(0.5);
});

test('places in brackets are where the position tree has them', () => {
  const text = 'a: [b, "c d", [1, e.f/*] , \'g\']\nh: [ [] , {} ]\n';
  const loaded = load(text);
  const rangeOf = loaded.ok ? plainPositions(text, loaded.value) : undefined;
  expect(rangeOf).toBeDefined();
  if (!loaded.ok || rangeOf === undefined) return;
  expect(placesOf(loaded.value, rangeOf)).toStrictEqual(placesOf(loaded.value, positionTree(text).rangeOf));
});

test.each<[string, string, unknown]>([
  ['the value says otherwise', 'a: b\n', { a: 'c' }],
  ['the value has more', 'a: b\n', { a: 'b', c: 'd' }],
  ['the value has less', 'a: b\nc: d\n', { a: 'b' }],
  ['a list has more', 'a:\n- b\n- c\n', { a: ['b'] }],
  ['a word could be something else', 'a: true\n', { a: 'true' }],
  ['a number could be something else', 'a: 1.0\n', { a: '1.0' }],
  ['a scalar goes on', 'a: b\n c\n', { a: 'b c' }],
  ['a scalar is in a block', 'a: |\n  b\n', { a: 'b\n' }],
  ['there is an anchor', 'a: &x b\n', { a: 'b' }],
  ['there are braces', 'a: {b: c}\n', { a: { b: 'c' } }],
  ['brackets have more', 'a: [b, c]\n', { a: ['b'] }],
  ['brackets have less', 'a: [b]\n', { a: ['b', 'c'] }],
  ['brackets have a comma behind the last', 'a: [b,]\n', { a: ['b'] }],
  ['brackets go on', 'a: [b,\n  c]\n', { a: ['b', 'c'] }],
  ['brackets hold a mapping', 'a: [b: c]\n', { a: [{ b: 'c' }] }],
  ['there is an escape', 'a: "\\u0062"\n', { a: 'b' }],
  ['there is a comment', 'a: b # c\n', { a: 'b' }],
  ['a key is there twice', 'a: b\na: b\n', { a: 'b' }],
])('gives up where %s', (_, text, value) => {
  expect(plainPositions(text, value)).toBeUndefined();
});

function documents(): string[] {
  const folders = ['fixtures/ok', 'fixtures/err', 'examples'];
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yaml'))
      .flatMap((name) => {
        const text = readFileSync(join(folder, name), 'utf8');
        return cutDocuments(text).map(({ start, end }) => text.slice(start, end));
      }),
  );
}

function placesOf(value: unknown, find: RangeOf) {
  return pathsOf(value).map((path) => [path.join('.'), find(path, 'key'), find(path, 'value')]);
}

/** Of everything in a value, and of one member that is not there. */
function pathsOf(value: unknown, path: JsonPath = []): JsonPath[] {
  if (typeof value !== 'object' || value === null) return [path, [...path, 'absent']];
  const below = Object.entries(value).flatMap(([key, child]) =>
    pathsOf(child, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, [...path, 'absent'], ...below];
}
