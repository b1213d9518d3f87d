import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonObject } from '../source/document.ts';
import { runs } from '../testing/effort.ts';
import { inject } from './inject.ts';
import { Outlines } from './outline.ts';
import { renderTemplates } from './render.ts';
import { type InjectionTemplates, loadTemplates } from './templates.ts';
import { fixturePods } from './testing/fixture-pods.ts';
import { givenPod, givenSettings } from './testing/given-pod.ts';
import type { InjectionView } from './view.ts';

/** Templates whose texts are read whole each time. */
function readWhole(templates: InjectionTemplates): InjectionTemplates {
  return { ...templates, outline: () => undefined };
}

/** The partial pod of a user's template, with the order of its fields, or what is said of it. */
function made(text: string, values: unknown, change = (templates: InjectionTemplates) => templates): string {
  const bag = new DiagnosticBag();
  const templates = change(loadTemplates([{ name: 'own', file: { path: 'own.yaml.hbs', text } }], bag));
  const view = { values } as InjectionView;
  // The second time the outline is known.
  for (let i = 0; i < 2; i += 1) {
    const partial = renderTemplates(['own'], view, templates, bag);
    if (i === 1 && partial !== undefined) return JSON.stringify(partial);
  }
  return bag.all.map(({ message }) => message).join('\n');
}

/** What stands at an annotation, so that the rest is a partial pod whatever it is. */
const annotation = (text: string): string => `metadata:\n  annotations:\n    a: ${text}\n    z: "1"\n`;

const templates: readonly string[] = [
  ...[
    '{{json values.a}}',
    '{{json values.a}} # {{json values.b}}',
    '{{json values.a}}#b',
    '{b: {{json values.a}}, c: {{json values.b}} }',
    '{b: {{json values.a}} }',
    '{b:{{json values.a}} }',
    '{"b":{{json values.a}} }',
    '[{{json values.a}}, {{json values.b}}]',
    '[{{json values.a}} {{json values.b}}]',
    '[{{json values.a}}: {{json values.b}}]',
    'x{{json values.a}}',
    'x {{json values.a}}',
    '{{json values.a}}x',
    '{{json values.a}} x',
    '{{json values.a}}\n      x',
    'x\n      {{json values.a}}',
    '\n      {{json values.a}}',
    '\n      - {{json values.a}}\n      - {{json values.b}}',
    '"{{json values.a}}"',
    "'{{json values.a}}'",
    '|\n      {{json values.a}}',
    '!!str {{json values.a}}',
    '&x {{json values.a}}\n    b: *x',
    '{<<: {{json values.a}} }',
    '{{json values.a}}{{json values.b}}',
    '{{json values.a}},',
    '{{json values.a}}]',
    '{{json values.a}}: x',
    '\n      ? {{json values.a}}\n      : x',
    '{{values.mark}}',
    '{{values.mark}} # {{json values.a}}',
    '{{#if values.a}}{{json values.a}}{{else}}1{{/if}}',
    '{{#each values.list}}\n      - {{json this}}{{/each}}',
    '{{#with (json values.a)}}{{this}}{{/with}}',
    '{{#with (json values.a)}}[{{this}}, {{length}}]{{/with}}',
    '{ {{~json values.a~}} }',
  ].map(annotation),
  'metadata: {{json values.a}}\n',
  'spec: {{json values.a}}\n',
  '{{json values.a}}\n',
  'kind: {{json values.a}}\n',
  'spec:\n  containers: [{{json values.a}}, {name: b, env: [{{json values.b}}, {{json values.b}}]}]\n',
];

const oddTexts = ['', '<<', '__proto__', 'null', 'true', '-', '{{', '\u0000', '\u2028', '\ufffe', '\ud800', 'é', '---'];
const odd: readonly unknown[] = [
  ...[-0, 1e21, 1.5, -7, 2 ** 53, null, true, { a: undefined }],
  ...oddTexts,
  ...oddTexts.map((name) => JSON.parse(`{${JSON.stringify(name)}:1}`)),
  ...[{ name: 'a', value: 'b' }, { name: '' }, { labels: { a: 'b' } }, { containers: [{ name: 'c' }] }],
  // More levels, and more characters, than a document may have.
  Array.from({ length: 120 }).reduce<unknown>((inner) => [inner], 1),
  'x'.repeat(2_000_001),
];
const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...odd), fc.string());

describe('outlines of what templates make', () => {
  test.each(templates.map((text) => [text] as const))('make the same of any values as the whole text of %j', (text) => {
    fc.assert(
      fc.property(value, value, fc.array(value, { maxLength: 3 }), (a, b, list) => {
        const values = { a, b, list, mark: '"@value 0@"' };
        expect(made(text, values)).toBe(made(text, values, readWhole));
      }),
      runs(20),
    );
  });

  test('make the same of odd values as their whole text', () => {
    const [alone = '', inFlow = ''] = ['{{json values.a}}', '[{b: {{json values.a}} }]'].map(annotation);
    for (const text of [alone, inFlow, 'spec: {{json values.a}}\n'])
      for (const a of odd) expect(made(text, { a })).toBe(made(text, { a }, readWhole));
  });

  test('make the same of all pods, byte by byte', () => {
    for (const { target, settings } of fixturePods()) {
      const whole = inject(target, { ...settings, templates: readWhole(settings.templates) });
      for (let i = 0; i < 2; i += 1) expect(JSON.stringify(inject(target, settings))).toBe(JSON.stringify(whole));
    }
  });

  test('are enough for all our templates, so that most pods need no YAML to be read', () => {
    let wholes = 0;
    for (const { target, settings } of fixturePods()) {
      const { templates } = settings;
      const render = (name: string, view: object): string => {
        wholes += 1;
        return templates.render(name, view);
      };
      inject(target, { ...settings, templates: { ...templates, render } });
    }
    expect(wholes).toBe(0);
  });

  test('are read once, and again after so many others that they were forgotten', () => {
    const outlines = new Outlines();
    const read: string[] = [];
    const fill = (text: string, a: unknown): JsonObject | undefined =>
      outlines.fill({ text: `metadata: {${text}: "@value 0@"}`, values: [a] }, (whole) => {
        read.push(whole);
        return { metadata: { [text]: '@value 0@' } };
      });
    expect([fill('a', 1), fill('a', { b: 2 }), fill('a', 'c')]).toEqual([
      { metadata: { a: 1 } },
      { metadata: { a: { b: 2 } } },
      { metadata: { a: 'c' } },
    ]);
    expect(read).toHaveLength(1);
    for (let i = 0; i < 300; i += 1) fill(`a${i}`, 1);
    expect(fill('a', 3)).toEqual({ metadata: { a: 3 } });
    expect(read).toHaveLength(302);
  });

  test('are not taken for those of a text that looks the same because it has what looks like a mark', () => {
    const text = annotation('{{#if values.a}}{{json values.a}}{{else}}{{values.raw}}{{/if}}');
    const templates = loadTemplates([{ name: 'own', file: { path: 'own.yaml.hbs', text } }], new DiagnosticBag());
    const renderedOf = (values: object): unknown => {
      const bag = new DiagnosticBag();
      return renderTemplates(['own'], { values } as InjectionView, templates, bag) ?? bag.all;
    };
    const raw = '"@value 0@"';
    expect([renderedOf({ a: 'x', raw }), renderedOf({ a: '', raw })]).toMatchObject([
      { metadata: { annotations: { a: 'x' } } },
      { metadata: { annotations: { a: '@value 0@' } } },
    ]);
  });

  test('hold for the settings that they are used with alone', () => {
    const pod = givenPod();
    const target = { pod, namespace: 'shop', namespaceLabels: { 'mesh-injection': 'enabled' } };
    const imagesOf = (meshConfig: string): string =>
      JSON.stringify(inject(target, givenSettings(meshConfig)))
        .match(/"image":"mesh[^"]*"/g)
        ?.join() ?? '';
    const one = 'injection: {image: "mesh-agent:1"}\n';
    const two = 'injection: {image: "mesh-agent:2"}\n';
    expect([imagesOf(one), imagesOf(two), imagesOf(one)]).toEqual([
      '"image":"mesh-agent:1","image":"mesh-agent:1"',
      '"image":"mesh-agent:2","image":"mesh-agent:2"',
      '"image":"mesh-agent:1","image":"mesh-agent:1"',
    ]);
  });
});
