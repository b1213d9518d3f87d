import { expect, test } from 'vitest';
import { readTree } from './read-tree.ts';

test('readTree reads objects, lists, blocks, partials and places, and needs no commas', () => {
  const text = '{"a": [1 {{json b.c}}], {{#if d}}"e": {{> part f}},{{/if}} {{json g}}: null}';
  expect(readTree('t', text)).toEqual({
    kind: 'object',
    members: [
      {
        kind: 'member',
        key: 'a',
        value: {
          kind: 'list',
          elements: [
            { kind: 'constant', value: 1 },
            { kind: 'place', path: ['b', 'c'], line: 1 },
          ],
        },
      },
      {
        kind: 'block',
        block: 'if',
        path: ['d'],
        body: [{ kind: 'member', key: 'e', value: { kind: 'partial', name: 'part', context: ['f'] } }],
      },
      {
        kind: 'member',
        key: { kind: 'place', path: ['g'], line: 1 },
        value: { kind: 'constant', value: null },
      },
    ],
  });
});

test('readTree takes a template that begins with a block for a choice of values', () => {
  expect(readTree('t', '{{#if a}}1{{/if}}{{#unless a}}2{{/unless}}')).toMatchObject({
    kind: 'choices',
    choices: [{ block: 'if' }, { block: 'unless' }],
  });
});

test.each([
  ['an object that does not end', '{"a": 1', 'template t is not well-formed JSON near'],
  ['a second value', '{} {}', 'template t is not well-formed JSON near'],
  ['a key that is no text', '{1: 2}', 'template t is not well-formed JSON near'],
  ['a member without a colon', '{"a" 1}', 'template t is not well-formed JSON near'],
  ['nothing', '', 'template t is not well-formed JSON near'],
  ['a word', '{"a":\n nobody}', 't:1: n is not JSON'],
  ['another helper', '{{lower a}}', 't:1: {{lower}}'],
  ['another block', '[{{#with a}}1{{/with}}]', 't:1: {{#with}} with no such meaning here'],
  ['an else', '[{{#if a}}1{{else}}2{{/if}}]', 't:1: {{#if}} with no such meaning here'],
  ['a field of an outer view', '[{{#each a}}{{json ../b}}{{/each}}]', 't:1: only fields of the view can be placed'],
])('readTree refuses %s', (_, text, message) => {
  expect(() => readTree('t', text)).toThrow(message);
});
