import { expect, test } from 'vitest';
import { defaultLimits } from './limits.ts';
import { loader } from './load.ts';
import { slim } from './slim.ts';

const load = loader(defaultLimits);

function read(text: string): object {
  const loaded = load(text);
  if (!loaded.ok || typeof loaded.value !== 'object' || loaded.value === null)
    throw new Error(`no collection: ${text}`);
  return loaded.value;
}

test.each([
  ['mappings and lists', 'a: {b: [c, 1, null, true, [d, {}], []]}\ne: ""\n'],
  ['a list', '- a\n- [b, [c]]\n'],
  ['anchors and aliases', 'a: &x [b, {c: d}]\ne: *x\nf: [*x, *x]\n'],
  ['a key that is the name of the prototype', '__proto__: {a: [b]}\nconstructor: c\n'],
  ['texts that are no ASCII, or long', `a: "\\ud83d\\ude00 \\u0000 é"\nb: ${'c'.repeat(100)}\n`],
  ['more texts than are shared', `a: [${Array.from({ length: 5000 }, (_, i) => `text-${i}`).join(', ')}]\n`],
])('a value means the same afterwards: %s', (_, text) => {
  const value = read(text);
  slim(value);
  expect(value).toStrictEqual(read(text));
});
