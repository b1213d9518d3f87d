import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { type JsonPath, lineAndColumn, lineStarts, type SourceSpan } from '../diagnostics/span.ts';
import { parse } from './parse.ts';

function place(text: string, span: SourceSpan | undefined): string {
  if (span === undefined) return '';
  const { line, column } = lineAndColumn(lineStarts(text), span.start);
  return `${line}:${column}`;
}

function read(text: string, path = 'a.yaml') {
  const bag = new DiagnosticBag();
  const documents = parse([{ path, text }], bag);
  return {
    documents,
    values: documents.map(({ value }) => value),
    faults: bag.all.map(({ code, span }) => [code, place(text, span)]),
    bag,
  };
}

describe('parse', () => {
  test.each<[string, string, unknown[]]>([
    ['one document', 'kind: A\n', [{ kind: 'A' }]],
    ['several documents', 'kind: A\n---\nkind: B\n...\n---\nkind: C', [{ kind: 'A' }, { kind: 'B' }, { kind: 'C' }]],
    ['documents of comments as nothing', '# none\n---\n---\nkind: A\n---\n# end\n', [{ kind: 'A' }]],
    ['a directive', '%YAML 1.2\n---\nkind: A\n', [{ kind: 'A' }]],
    ['a marker inside a block scalar as the end of the document', 'a: |\n  x\n---\nb: 1', [{ a: 'x\n' }, { b: 1 }]],
    ['indented dashes as text', 'a: |\n  ---\n  x\n', [{ a: '---\nx\n' }]],
    ['JSON', '{"kind": "A", "n": [1, "\\u00e9"]}', [{ kind: 'A', n: [1, 'é'] }]],
    ['JSON indented with tabs', '{\n\t"kind": "A"\n}', [{ kind: 'A' }]],
    ['a list', 'kind: List\nitems:\n- kind: A\n- kind: B\n', [{ kind: 'A' }, { kind: 'B' }]],
    ['a typed list', '{"kind":"PodList","items":[{"kind":"Pod"}]}', [{ kind: 'Pod' }]],
    ['a list of lists', 'kind: List\nitems: [{kind: List, items: [{kind: A}]}]', [{ kind: 'A' }]],
    ['a byte order mark', '\uFEFF---\nkind: A\n', [{ kind: 'A' }]],
    ['carriage returns', 'kind: A\r\nb: |\r\n  x\r\n---\r\nkind: B\r\n', [{ kind: 'A', b: 'x\n' }, { kind: 'B' }]],
    ['aliases', 'a: &x {b: 1}\nc: *x\n', [{ a: { b: 1 }, c: { b: 1 } }]],
    ['integer keys as strings', 'ports: {8080: a, "9090": b}', [{ ports: { 8080: 'a', 9090: 'b' } }]],
    [
      'keys that look like words when quoted',
      '"true": true\n"null": ~\n"1.5": 1.5',
      [{ true: true, null: null, 1.5: 1.5 }],
    ],
    ['__proto__ as a key like any other', '__proto__: 1\nb: 2', [JSON.parse('{"__proto__": 1, "b": 2}')]],
    [
      'scalars as YAML 1.2 core does',
      'a: [yes, on, 0b1, 1_000, 0o17, 017, 0x1F, +1, -0x1, 1e3, .5, 2020-01-01, 12:30, ~, Null, True, "1"]',
      [
        {
          a: [
            'yes',
            'on',
            '0b1',
            '1_000',
            15,
            17,
            31,
            1,
            '-0x1',
            1000,
            0.5,
            '2020-01-01',
            '12:30',
            null,
            null,
            true,
            '1',
          ],
        },
      ],
    ],
  ])('reads %s', (_, text, expected) => {
    const { values, faults } = read(text);
    expect(faults).toEqual([]);
    expect(values).toEqual(expected);
  });

  test.each<[string, string, string, string]>([
    ['a missing colon', 'kind: A\nspec\n  a: 1\n', 'yaml-syntax', '3:4'],
    ['an open quote', 'a: "x\nb: 1\n', 'yaml-syntax', '3:1'],
    ['a condition of a template', 'a: 1\n{{- if .Values.on }}\nb: 1\n', 'yaml-syntax', '2:3'],
    ['a value of a template', 'a: 1\nb: {{ .Values.b }}\n', 'yaml-syntax', '2:1'],
    ['an open bracket', 'a: [1, 2\nb: 3\n', 'yaml-syntax', '2:1'],
    ['a bracket within braces', 'a: {b: c[d], e: 1}\n', 'yaml-syntax', '1:9'],
    ['a second syntax error in one file only once', 'a: [}\n---\nb: [}\n', 'yaml-syntax', '1:5'],
    ['a duplicate key', 'a: 1\nb:\n  c: 1\n  c: 2\n', 'duplicate-key', '4:3'],
    ['a duplicate key of JSON', '{"a": 1, "a": 2}', 'duplicate-key', '1:10'],
    ['a tab', 'a:\n\tb: 1\n', 'tab-indentation', '2:1'],
    ['a null document', '---\n~\n', 'not-an-object', '2:1'],
    ['a text document', 'hello\n', 'not-an-object', '1:1'],
    ['an item that is none', 'kind: List\nitems:\n- a: 1\n- x\n', 'not-an-object', '4:3'],
    ['a merge key', 'a: &x {b: 1}\nc:\n  <<: *x\n', 'merge-key', '3:3'],
    ['an infinite number', 'a:\n  b: .inf\n', 'non-finite-number', '2:6'],
    ['a number beyond all doubles', 'a: 1e400', 'non-finite-number', '1:4'],
    ['half of a surrogate pair', String.raw`a: [b, "c\uD800"]`, 'half-surrogate-pair', '1:8'],
    ['half of a surrogate pair in JSON', String.raw`{"a": "\uDC00b"}`, 'half-surrogate-pair', '1:7'],
    ['half of a surrogate pair in a key', String.raw`a: {"\uD800": b}`, 'half-surrogate-pair', '1:5'],
    ['a boolean key', 'a:\n  true: 1\n', 'non-string-key', '2:3'],
    ['a null key', '~: 1\n', 'non-string-key', '1:1'],
    ['a hexadecimal key', 'a: {0x10: 1}\n', 'non-string-key', '1:5'],
    ['a mapping as a key', '? {a: 1}\n: 2\n', 'non-string-key', '1:1'],
    ['a NUL', 'a: 1\nb: "\0"', 'wrong-encoding', '2:5'],
    ['a byte order mark inside', 'a: 1\n---\n\uFEFFb: 1', 'wrong-encoding', '3:1'],
    ['a lone carriage return', 'a: 1\rb: 2', 'yaml-syntax', '1:5'],
    ['an unknown tag', 'a: !x y', 'yaml-syntax', '1:8'],
    ['an unknown alias', 'a: *x', 'yaml-syntax', '1:6'],
    ['a text that parsers read differently', '---a: 1\n', 'parsers-disagree', '1:1'],
    ['flow depth', `a: ${'['.repeat(200)}${']'.repeat(200)}`, 'nesting-too-deep', '1:105'],
    ['a key that is an object with a "toString"', 'a: [{"toString": ""}: x]', 'non-string-key', '1:5'],
    ['a key that is a list of such', 'a: [[{"toString": []}, ~]: x]', 'non-string-key', '1:5'],
    ['a key that is a list of a word', 'a:\n  [b]: x', 'non-string-key', '2:3'],
    ['a key that is a list in block style', 'a:\n  ? - b\n  : x', 'non-string-key', '2:5'],
    ['a key that an alias makes a list', 'a: {b: &l [c], *l : x}', 'non-string-key', '1:16'],
    ['an alias of itself', 'a: &x [*x]', 'nesting-too-deep', '1:1'],
  ])('refuses %s', (_, text, code, where) => {
    const { values, faults } = read(text);
    expect(faults).toEqual([[code, where]]);
    expect(values.every((value) => 'a' in value)).toBe(true);
  });

  test('allows a hundred levels and no more', () => {
    const nested = (levels: number): string => `${'{a: '.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(read(nested(100)).faults).toEqual([]);
    expect(read(nested(101)).faults).toEqual([['nesting-too-deep', '1:402']]);
  });

  test.each([
    ['a value', (text: string) => `a: ok\nb: ${text}\n`],
    ['a key', (text: string) => `"${text}": b\n`],
    ['a path of a rule', (text: string) => `{"a": [{"b": ["${text}"]}]}`],
  ])('takes %s of two million characters, and refuses a longer one without quoting it', (_, write) => {
    expect(read(write('x'.repeat(2_000_000))).faults).toEqual([]);
    const bag = new DiagnosticBag();
    parse([{ path: 'a.yaml', text: write('x'.repeat(15_000_000)) }], bag);
    expect(bag.all.map(({ code, message }) => [code, message.length < 100])).toEqual([['text-too-long', true]]);
  });

  test('refuses a file over the limit at once', () => {
    const bag = new DiagnosticBag();
    parse([{ path: 'a.yaml', text: `a: ${'x'.repeat(100)}` }], bag, {
      maxFileBytes: 50,
      maxDepth: 100,
      maxAliasNodes: 1,
      maxTextLength: 1,
      maxTreeNodes: 1,
    });
    expect(bag.all.map(({ code }) => code)).toEqual(['file-too-large']);
  });
});

describe('spanOf', () => {
  const yaml = `# head
---
kind: A
spec:
  hosts:
    - one
    - "two"
  empty:
---
kind: B
spec: {x: 1}
`;
  const list = `apiVersion: v1
items:
- kind: A
  spec:
    host: one
- kind: B
  spec:
    - host: two
    - |
      - not an item
kind: List
`;
  const json = `{"kind": "List", "items": [
  {"kind": "A", "s}": "a\\"[{"},
  {"kind": "B", "spec": [{"host": "two"}]}
]}`;

  test.each<[string, string, number, JsonPath, 'key' | 'value', string]>([
    ['a value', yaml, 0, ['spec', 'hosts', 1], 'value', '7:7'],
    ['a key', yaml, 0, ['spec', 'hosts'], 'key', '5:3'],
    ['the key of an empty value', yaml, 0, ['spec', 'empty'], 'value', '8:3'],
    ['the nearest ancestor of what is missing', yaml, 0, ['spec', 'hosts', 7, 'x'], 'value', '6:5'],
    ['a value of a later document', yaml, 1, ['spec', 'x'], 'value', '11:11'],
    ['a value of a list item', list, 1, ['spec', 0, 'host'], 'value', '8:13'],
    ['a value of a JSON list item', json, 1, ['spec', 0, 'host'], 'value', '3:35'],
    ['a key of a JSON list item', json, 0, ['s}'], 'key', '2:17'],
    ['a value of a list in flow style', 'kind: List\nitems: [{kind: A,\n b: 1}]', 0, ['b'], 'value', '3:5'],
    ['a value behind an alias', 'a: &x\n  b: 1\nc: *x', 0, ['c', 'b'], 'value', '2:6'],
  ])('finds %s', (_, text, index, path, part, expected) => {
    const { documents, faults } = read(text);
    expect(faults).toEqual([]);
    expect(place(text, documents[index]!.spanOf(path, part))).toBe(expected);
  });

  test('gives every start without a second reading', () => {
    expect(read(yaml).documents.map(({ start }) => place(yaml, start))).toEqual(['3:1', '10:1']);
    expect(read(list).documents.map(({ start }) => place(list, start))).toEqual(['3:3', '6:3']);
    expect(read(json).documents.map(({ start }) => place(json, start))).toEqual(['2:3', '3:3']);
  });

  test('of a text in a form of its own comes from the position tree, and says nothing', () => {
    const text = 'a: >\n  folded\n  text\nb: 1\n';
    const { documents, bag } = read(text);
    expect(place(text, documents[0]!.spanOf(['b']))).toBe('4:4');
    expect(bag.all).toEqual([]);
  });
});

describe('a text that two parsers read differently', () => {
  test.each([
    ['in a document', "a: 'x\ny'\n", '1:6'],
    ['in an item of a list', "kind: List\nitems:\n- a: 1\n- b: 'x\n\ny'\n", '5:1'],
    ['beside the items of a list', "kind: List\nitems:\n- a: 1\nmetadata:\n  a: 'x\ny'\n", '5:8'],
    ['behind a good document', 'kind: A\n---\n- {a: 1, kind: A, apiVersion: "x\ny"}\n', '3:33'],
  ])('is an error %s, reported once even if no position is requested', (_, text, where) => {
    const { faults, bag, documents } = read(text);
    expect(faults).toEqual([['parsers-disagree', where]]);
    for (const document of documents) document.spanOf(['a']);
    expect(bag.all.length).toBe(1);
  });
});
