import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import { lintTexts } from './lint-texts.ts';
import { allRules } from './rule-index.ts';

const project = { config: {}, pathOf: () => undefined };

/** What a run over a folder of these files says, each as its code, and whether there was nothing to look at. */
function look(texts: Readonly<Record<string, string>>, surroundings: readonly SourceFile[] = [], isFound = true) {
  const inputs = Object.entries(texts).map(([path, text]) => ({
    path,
    text,
    ...(isFound && { isFound: true as const }),
  }));
  const input = { inputs, surroundings, sources: [], settings: defaultSettings, rules: allRules, project };
  const { result, isEmpty } = lintTexts({ ...input, today: '' }, new DiagnosticBag());
  return { said: result.findings.map(({ code, hint, span }) => ({ code, hint, file: span?.file })), isEmpty };
}

const codes = ({ said }: ReturnType<typeof look>): readonly string[] => said.map(({ code }) => code);

const peer = (mode: string): string =>
  `apiVersion: security.mesh.io/v1\nkind: PeerAuthentication\nmetadata: {name: default, namespace: shop}\nspec: {mtls: {mode: ${mode}}}\n`;
const kustomization = (fields: string): string =>
  `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n${fields}`;
const base = { 'base/kustomization.yaml': kustomization('resources: [peer.yaml]\n'), 'base/peer.yaml': peer('STRICT') };
/** Nothing of it would be sound as an object. */
const patch = 'apiVersion: networking.mesh.io/v1\nkind: VirtualService\nmetadata: {name: a}\nspec: {gateways: [x]}\n';

describe('a folder of Kustomize', () => {
  test.each([
    ['patches:\n- path: peer.yaml\n', peer('PERMISSIVE')],
    ['patches:\n- path: ./peer.yaml\n  target: {kind: VirtualService}\n', '- {op: remove, path: /spec}\n'],
    ['patchesStrategicMerge: [peer.yaml]\n', patch],
    [
      'patchesJson6902:\n- target: {kind: VirtualService, name: a, version: v1}\n  path: peer.yaml\n',
      '- {op: remove, path: /a}\n',
    ],
    ['replacements:\n- path: peer.yaml\n', 'source: {kind: PeerAuthentication}\n'],
  ])('has files that are no objects by themselves: %s', (fields, text) => {
    const found = look({
      ...base,
      'overlays/a/kustomization.yaml': kustomization(`resources: [../../base]\n${fields}`),
      'overlays/a/peer.yaml': text,
    });
    expect(found.said).toContainEqual({
      code: 'patches-left-out',
      hint: 'lint what they are a part of: kustomize build overlays/a | meshpol lint -',
      file: undefined,
    });
    expect(codes(found)).toEqual(['patches-left-out', 'skipped-kinds']);
  });

  test('has patches that stand in the file itself', () => {
    const fields = `resources: [../../base]\npatchesStrategicMerge:\n- |-\n${patch.replaceAll(/^/gm, '  ').trimEnd()}\n`;
    expect(codes(look({ ...base, 'overlays/a/kustomization.yaml': kustomization(fields) }))).toEqual(['skipped-kinds']);
  });

  test('has components, whose patches are patches too', () => {
    const component = `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: peer.yaml}]\n`;
    const found = look({ ...base, 'parts/tls/kustomization.yaml': component, 'parts/tls/peer.yaml': patch });
    expect(codes(found)).toEqual(['patches-left-out', 'skipped-kinds']);
  });

  test('has overlays that are never built together: what both define is looked at once', () => {
    const overlay = (stage: string) => ({
      [`overlays/${stage}/kustomization.yaml`]: kustomization('resources: [peer.yaml]\n'),
      [`overlays/${stage}/peer.yaml`]: peer('STRICT'),
    });
    const found = look({ ...overlay('one'), ...overlay('two') });
    expect(codes(found)).toEqual(['alternatives-left-out', 'skipped-kinds']);
    expect(found.said[0]?.hint).toBe('lint each build: kustomize build overlays/two | meshpol lint -');
  });

  test('defines an object twice where one build has both, or where no build has one of them', () => {
    const both = { ...base, 'a/kustomization.yaml': kustomization('resources: [../base, peer.yaml]\n') };
    expect(codes(look({ ...both, 'a/peer.yaml': peer('PERMISSIVE') }))).toContain('duplicate-object');
    expect(codes(look({ ...base, 'a/peer.yaml': peer('PERMISSIVE') }))).toContain('duplicate-object');
  });

  test('says of one patch that was named by itself what it is', () => {
    const beside = { path: 'a/kustomization.yaml', text: kustomization('patches: [{path: p/patch.yaml}]\n') };
    expect(look({ 'a/p/patch.yaml': patch }, [beside], false)).toMatchObject({
      said: [
        { code: 'patches-left-out' },
        {
          code: 'empty-input',
          hint: expect.stringMatching(/^nothing was checked; .*: kustomize build a \| meshpol lint -$/),
        },
      ],
      isEmpty: true,
    });
    expect(look({ 'a/p/patch.yaml': patch, 'b.yaml': peer('STRICT') }, [beside], false).isEmpty).toBe(false);
    expect(codes(look({ 'a/p/other.yaml': patch }, [beside], false))).toContain('virtual-service-without-hosts');
  });
});

test.each([
  ['kustomization.yaml', kustomization('resources: [a.yaml]\n')],
  ['a/kustomization.yaml', 'resources: [a.yaml]\n'],
  ['Chart.yaml', 'apiVersion: v2\nname: shop\nversion: 0.1.0\n'],
  ['map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'],
])('a file of another program that was named by itself, %s, is sound', (path, text) => {
  expect(look({ [path]: text }, [], false)).toMatchObject({ said: [{ code: 'skipped-kinds' }], isEmpty: false });
});

test.each(['kind: List\napiVersion: v1\nitems: []\n', 'a: b\n'])(
  'a folder without any object has nothing to look at: %j',
  (text) => {
    expect(look({ 'a.yaml': text })).toMatchObject({ isEmpty: true });
  },
);

describe('a chart of Helm', () => {
  const chart = {
    'charts/shop/Chart.yaml': 'apiVersion: v2\nname: shop\n',
    'charts/shop/values.yaml': 'mode: STRICT\n',
  };

  test('has templates, which one info names, and objects that need no rendering', () => {
    const found = look({
      ...chart,
      'charts/shop/templates/a.yaml': `{{- if .Values.a }}\n${peer('STRICT')}{{- end }}\n`,
      'charts/shop/templates/b.yaml': peer('{{ .Values.mode }}'),
      'charts/shop/templates/c.yaml': peer('ON'),
    });
    expect([...codes(found)].sort()).toEqual(['skipped-kinds', 'templates-left-out', 'unknown-enum-value']);
    expect(found.said.find(({ code }) => code === 'templates-left-out')?.hint).toBe(
      'lint what it makes: helm template charts/shop | meshpol lint -',
    );
  });

  test('reports a template that is an input itself', () => {
    const beside = { path: 'a/Chart.yaml', text: 'apiVersion: v2\nname: a\n' };
    expect(codes(look({ 'a/templates/b.yaml': peer('"{{ .Values.mode }}"') }, [beside], false))).toEqual([
      'templates-left-out',
      'empty-input',
    ]);
  });

  test('of which all objects are templates has nothing to look at', () => {
    expect(look({ ...chart, 'charts/shop/templates/b.yaml': peer('{{ .Values.mode }}') })).toMatchObject({
      isEmpty: true,
    });
    expect(look(chart)).toMatchObject({ isEmpty: false });
  });

  test('is not known from a folder of that name alone', () => {
    expect(codes(look({ 'templates/a.yaml': peer('{{ .Values.mode }}') }))).toContain('yaml-syntax');
  });
});
