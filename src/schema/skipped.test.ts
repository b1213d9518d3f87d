import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { parse } from '../source/parse.ts';
import { isSkipped } from './dispatch.ts';
import { countSkipped, validate } from './validate.ts';

/** Codes that a file's text gets, and the message of the info line. */
function told(text: string, isFound: boolean): string[] {
  const bag = new DiagnosticBag();
  const file = { path: 'a.yaml', text, ...(isFound && { isFound }) };
  const documents = parse([file], bag, undefined, isSkipped);
  for (const document of documents) validate(document, bag);
  countSkipped(documents, bag);
  return bag.all.map(({ code, message }) => (code === 'skipped-kinds' ? message : code));
}

describe('documents that are no objects', () => {
  test.each([
    ['a chart', 'apiVersion: v2\nname: shop\n', 'missing-field'],
    ['a chart whose version is a number', 'apiVersion: 2\nname: shop\n', 'wrong-type'],
    ['a kustomization', 'resources: [mesh.yaml]\n', 'missing-field'],
    ['a mapping of merge keys', 'a: &a {b: 1}\nc: {<<: *a}\n', 'merge-key'],
    ['a list', '- a\n- {kind: graph}\n', 'not-an-object'],
    ['a scalar', 'a note\n', 'not-an-object'],
    ['nothing', '~\n', 'not-an-object'],
    ['JSON', '{"name": "shop", "kinds": ["a"]}', 'missing-field'],
  ])('%s is skipped when it was found in a folder, and refused when it was named', (_, text, code) => {
    expect(told(text, true)).toEqual(['skipped 1 document of other kinds: no object (1)']);
    expect(told(text, false)).toEqual([code]);
  });

  test.each([
    ['a group', 'apiVersion: security.mesh.io/v1\nname: a\n', 'missing-field'],
    ['metadata', 'metadata: {name: a}\n', 'missing-field'],
    ['a spec', 'spec: {mtls: {mode: STRICT}}\n', 'missing-field'],
    ['an empty kind', 'kind:\n', 'missing-field'],
    ['objects in a list', '- {apiVersion: security.mesh.io/v1, kind: PeerAuthentication}\n', 'not-an-object'],
    ['a list of objects without its kind', 'apiVersion: v1\nmetadata: {}\nitems: []\n', 'missing-field'],
  ])('what has %s is refused wherever it was found', (_, text, code) => {
    expect(told(text, true)).toEqual([code]);
  });
});

describe('an object of the mesh below a key of a document that is no object', () => {
  const nested = (apiVersion: string): string =>
    `extra:\n  objects:\n  - {name: a}\n  - apiVersion: ${apiVersion}\n    kind: PeerAuthentication\n`;

  test('is warned of, with its place', () => {
    const bag = new DiagnosticBag();
    const file = { path: 'values.yaml', text: nested('security.istio.io/v1'), isFound: true as const };
    for (const document of parse([file], bag, undefined, isSkipped)) validate(document, bag);
    expect(bag.all).toMatchObject([
      {
        code: 'object-below-key',
        message:
          'an object of kind PeerAuthentication below "extra.objects" is not read: the document itself is not an object',
        span: { start: file.text.indexOf('apiVersion') },
      },
    ]);
  });

  test('is none of another group, and values that many anchors lead to are looked at once', () => {
    const skipped = 'skipped 1 document of other kinds: no object (1)';
    expect(told(nested('apps/v1'), true)).toEqual([skipped]);
    const levels = Array.from({ length: 40 }, (_, i) => `l${i + 1}: &l${i + 1} [*l${i}, *l${i}]\n`);
    expect(told(`l0: &l0 {a: b}\n${levels.join('')}`, true)).toEqual([skipped]);
  });
});

describe('isSkipped', () => {
  const large = `data: {<<: {a: b}}\nrows: [${'1,\t'.repeat(50_000)}]\n`;

  test('spares a kind that is not read the limits of complexity', () => {
    const skipped = ['skipped 1 object of other kinds: ConfigMap (1)'];
    expect(told(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${large}`, false)).toEqual(skipped);
    expect(told(`apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n${large}`, false)).toEqual([
      'document-too-complex',
    ]);
  });

  test.each([
    ['apiVersion: v1\nkind: !!str ConfigMap\n', true],
    ['apiVersion: v1\nkind: "Config\\\n  Map"\n', false],
    ['{apiVersion: v1, kind: ConfigMap}\n', false],
    ['apiVersion: v1\n? kind\n: ConfigMap\n', false],
    ['apiVersion: v1\nkind: ConfigMap\n"kind": PeerAuthentication\n', false],
  ])('believes only a text whose own lines name the kind: %j', (text, expected) => {
    expect(isSkipped({ apiVersion: 'v1', kind: 'ConfigMap' }, text, true)).toBe(expected);
  });
});
