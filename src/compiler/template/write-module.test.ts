import { expect, test } from 'vitest';
import { writeModule } from './write-module.ts';

test('writeModule gives what no view decides as one constant, however often it stands', () => {
  const text = writeModule(
    [
      { name: 'one', text: '{"a": {{> same}}, "b": {{json c}} }' },
      { name: 'two', text: '[{"x": [1]}]' },
    ],
    [{ name: 'same', text: '{"x": [1]}' }],
  );
  expect(text.split('\n')).toEqual([
    "import { isFilled } from '../compiler/render/placing.ts';",
    'const constant0 = {"x":[1]};',
    'const constant1 = [{"x":[1]}];',
    'function one(view, at) {',
    'const made0 = {};',
    'made0["a"] = constant0;',
    'made0["b"] = at.value(view.c, "one 1");',
    'return made0;',
    '}',
    'function two(view, at) {',
    '',
    'return constant1;',
    '}',
    'export const mainTemplates = { one, two };',
  ]);
});

test('writeModule refuses a partial that does not exist', () => {
  expect(() => writeModule([{ name: 'one', text: '[{{> lost}}]' }], [])).toThrow(
    'template one uses the partial lost, which does not exist',
  );
});
