import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { chartFiles } from './chart.ts';
import { manifestOrder, manifestText } from './manifest.ts';

const settings = {
  namespace: 'mesh',
  revision: 'canary',
  image: 'meshd:1',
  replicas: 3,
  meshConfig: 'a: 1\nb:\n  c: 2\n',
};

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}
const objectsOf = (text: string) => parseAllDocuments(text).map((document) => document.toJS() as Named);

describe('manifestText', () => {
  test('makes no object of a kind that the page of the command does not list', () => {
    const page = readFileSync('docs/reference/meshd-manifest.md', 'utf8');
    const [, listed = ''] = /\| object \| purpose \|\n(.*?)\n\n/s.exec(page) ?? [];
    const kinds = objectsOf(manifestText(settings)).map(({ kind }) => kind.replace(/Binding$/, ''));
    expect(kinds.filter((kind) => !new RegExp(`\\b${kind}\\b`).test(listed))).toEqual([]);
  });

  test('has every setting at its place, and names that differ from those of another revision', () => {
    const text = manifestText(settings);
    expect(text).not.toContain('${');
    const objects = objectsOf(text);
    expect(objects.filter(({ metadata }) => metadata.namespace !== undefined && metadata.namespace !== 'mesh')).toEqual(
      [],
    );
    expect(objects.find(({ kind }) => kind === 'ConfigMap')).toMatchObject({ data: { mesh: settings.meshConfig } });
    expect(objects.find(({ kind }) => kind === 'Deployment')).toMatchObject({
      spec: {
        replicas: 3,
        template: { spec: { serviceAccountName: 'meshd-canary', containers: [{ image: 'meshd:1' }] } },
      },
    });
    const names = ({ kind, metadata }: Named) => `${kind} ${metadata.name}`;
    const others = new Set(objectsOf(manifestText({ ...settings, revision: 'default' })).map(names));
    expect(objects.map(names).filter((name) => others.has(name))).toEqual(['Namespace mesh']);
  });

  test('keeps a mesh configuration as it is written, whatever its first line begins with', () => {
    for (const meshConfig of ['   # a remark\na: 1\n', 'a: 1\n\n\nb: 2\n', "a: '\u0024{name}'\n---\nb: {{ x }}\n"]) {
      const given = { ...settings, meshConfig };
      const [configMap] = objectsOf(manifestText(given)).filter(({ kind }) => kind === 'ConfigMap');
      expect(configMap).toMatchObject({ data: { mesh: meshConfig } });
      const values = chartFiles({ ...given, version: '1', definitions: {} }).find(({ path }) => path === 'values.yaml');
      expect(objectsOf(values?.text ?? '')).toMatchObject([{ meshConfig }]);
    }
  });

  test('says of each object what it is for, but of a binding of rights', () => {
    for (const text of manifestText(settings).split('---\n'))
      expect(text).toMatch(/^# [A-Za-z].*\.\n|^apiVersion.*\nkind: \w+Binding\n/);
  });
});

test('a chart has a template for each part but the namespace, and the definitions beside them', () => {
  const files = chartFiles({ ...settings, version: '1.2.3', definitions: { 'a.b': 'kind: A\n' } });
  const paths = files.map(({ path }) => path);
  const parts = manifestOrder.filter((part) => part !== 'namespace').map((part) => `templates/${part}.yaml`);
  expect(paths).toEqual(['Chart.yaml', 'values.yaml', 'templates/_names.tpl', ...parts, 'crds/a.b.yaml']);
  expect(objectsOf(files[1]?.text ?? '')).toEqual([
    { image: 'meshd:1', replicas: 3, revision: 'canary', meshConfig: settings.meshConfig },
  ]);
});
