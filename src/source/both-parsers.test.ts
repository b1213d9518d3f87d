import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../testing/effort.ts';
import { cutDocuments } from './cut.ts';
import { disagreement } from './disagreement.ts';
import { defaultLimits } from './limits.ts';
import { loader } from './load.ts';
import { positionTree } from './position-tree.ts';
import { isSameReading } from './same-reading.ts';

const load = loader(defaultLimits);

/** Documents of `text` that count as read alike without the position tree, which reads them differently. */
function differences(text: string): string[] {
  return cutDocuments(text).flatMap(({ start, end }) => {
    const document = text.slice(start, end);
    const loaded = load(document);
    if (!loaded.ok || !isSameReading(document, loaded.value)) return [];
    const { reading } = positionTree(document);
    if (!('json' in reading)) return [`${JSON.stringify(document)}: ${JSON.stringify(reading)}`];
    const path = disagreement(loaded.value, reading.json);
    return path === undefined ? [] : [`${JSON.stringify(document)} at ${path.join('.')}`];
  });
}

const scalar = fc.constantFrom(
  ...['a', 'b c', '"x"', "'y'", '1', '0x1F', '017', '1.0', '~', 'null', '', 'true', 'yes', '-0', '.5', '1e3', '+1'],
  ...['2020-01-01', "'it''s'", 'a#b', '[a, b]', '{a: b}', '{a: 1, "b": [c]}', '[]', '{}', '"\\u00e9\\n"', 'é😀', 'a:b'],
  ...[
    '|\n    text\n     more',
    '>\n    t\n\n    u',
    '|-\n      z',
    '"a\n    b"',
    'a\n    c',
    'a\n c',
    ':x',
    '-x',
    '?x',
    '#c',
  ],
  ...[
    '@x',
    '%a',
    '=',
    '"a',
    '[a',
    "'",
    'a  ',
    'a #c',
    '["x"#c]',
    '"k":v',
    '{"k":v}',
    '{k}',
    '[a,]',
    '!t x',
    '&a x',
    '*a',
  ],
  ...['.inf', '0o17', '0b1', '1_000', '---', '- q', '\tx', '|2\n   x', '>+\n   x\n', '[a,\n b]', '{a: 1,\n    b: 2}'],
);
const key = fc.constantFrom(
  'a',
  'b',
  'c',
  '"d"',
  "'e'",
  'f g',
  '1',
  'true',
  'i#',
  '-j',
  'x-y/z',
  '.',
  '<<',
  '? k',
  '[l]',
);
const line = fc.record({
  indent: fc.constantFrom('', '', '  ', '  ', '    ', ' ', '   '),
  head: fc.oneof(
    key.map((name) => `${name}: `),
    fc.constant('- '),
    key.map((name) => `- ${name}: `),
  ),
  scalar,
  end: fc.constantFrom('\n', '\n', '\n', '\r\n', ' # c\n', '\n\n', '\n---\n', '\n...\n', '#c\n', '\n# c\n'),
});

test('documents that are read alike line by line mean the same to the position tree', () => {
  const text = fc
    .array(line, { minLength: 1, maxLength: 7 })
    .map((rows) => rows.map(({ indent, head, scalar, end }) => indent + head + scalar + end).join(''));
  fc.assert(
    fc.property(text, (yaml) => {
      expect(differences(yaml)).toEqual([]);
    }),
    runs(8_000, 50),
  );
});

test('texts of YAML marks that are read alike line by line mean the same to the position tree', () => {
  const marks = fc.constantFrom(
    ...['a', 'b: ', '- ', ': ', ':', '\n', '\n  ', '\n    ', ' ', '"x"', "'y'", '[', ']', '{', '}', ', ', '|\n', '>\n'],
    ...[
      '|-\n',
      '|2\n',
      '#c',
      ' #c',
      '\t',
      '&a ',
      '*a',
      '!!str ',
      '? ',
      '1',
      '0x1F',
      '~',
      'true',
      '---\n',
      '...\n',
      '\r\n',
    ],
    ...['@', '%', '\\', '"', "'", 'k: v\n', '- x\n', '<<: ', 'é', '\u00a0', '\u2028', '----', '-'],
  );
  fc.assert(
    fc.property(fc.array(marks, { minLength: 1, maxLength: 12 }), (parts) => {
      expect(differences(parts.join(''))).toEqual([]);
    }),
    runs(8_000, 50),
  );
});

test('JSON values mean the same to both parsers', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const loaded = load(text);
      expect(loaded.ok && disagreement(loaded.value, JSON.parse(text))).toBe(undefined);
    }),
    runs(),
  );
});

test.each(['fixtures', 'examples'])(
  'every file under %s that is read alike line by line means the same to the position tree',
  (folder) => {
    const root = join(import.meta.dirname, '../..', folder);
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((path) => /\.(?:ya?ml|json)$/.test(path))) {
      expect(differences(readFileSync(join(root, name), 'utf8'))).toEqual([]);
    }
  },
);
