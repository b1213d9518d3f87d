import { describe, expect, test } from 'vitest';
import { resourceTexts } from './cut-resources.ts';

const resources = [
  {
    '@type': 'x',
    name: 'a|80||',
    nested: { name: 'no', list: [{ name: 'b' }, [], {}], text: '\n    }\n      "name": "z"' },
  },
  { '@type': 'x', inner: [{ name: 'c' }], name: 'with "quotes" and \\' },
  { name: 'last' },
];
const written = (list: readonly object[]): string =>
  `${JSON.stringify({ version_info: '1f', resources: list }, null, 2)}\n`;

describe('resourceTexts', () => {
  test('cuts what our own compiler writes into resources, each as it stands there', () => {
    const cut = resourceTexts(written(resources));
    expect(cut.map(({ name }) => name)).toEqual(resources.map(({ name }) => name));
    expect(cut.map(({ value }) => value)).toEqual(resources);
    expect(cut.every(({ text }) => written(resources).includes(text) && text.startsWith('    {\n'))).toBe(true);
  });

  test.each<[string, string, readonly object[]]>([
    ['without line breaks', JSON.stringify({ version_info: '1', resources }), resources],
    [
      'of two forms',
      `{"version_info":"1","resources":[${resourceTexts(written(resources)).map(({ text }) => text)}]}`,
      resources,
    ],
    ['with four blanks a level', JSON.stringify({ version_info: '1', resources }, null, 4), resources],
    ['with an empty resource', written([{}, { name: 'a' }]), [{}, { name: 'a' }]],
    ['of nothing', written([]), []],
    ['with a further field', JSON.stringify({ version_info: '1', resources, nonce: 'n' }, null, 2), resources],
  ])('gives the same of a file %s', (_form, text, expected) => {
    expect(resourceTexts(text).map(({ value }) => value)).toEqual(expected);
  });

  test('takes no part of a file for the whole', () => {
    expect(() => resourceTexts(written(resources).slice(0, -4))).toThrow();
  });
});
