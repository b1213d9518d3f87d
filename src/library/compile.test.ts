import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileFixture, readFixture } from '../testing/fixture.ts';
import { compile } from './compile.ts';
import { formatDiagnostics } from './format-diagnostics.ts';
import type { CompileInput } from './input.ts';
import { schemas } from './schemas.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/ok');
const mesh = {
  path: 'mesh.yaml',
  text: `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec: {containers: [{name: web, image: web}]}
status: {podIP: 10.77.0.2}
`,
};

const codesOf = async (input: CompileInput): Promise<readonly string[]> =>
  (await compile(input)).diagnostics.map(({ code, place }) => `${place?.file ?? ''} ${code}`);

describe('compile of the library', () => {
  test.each(['jwt-keys-from-file', 'jwt-inline-keys'])(
    'gives for %s the messages that the compiler gives',
    async (name) => {
      const fixture = await readFixture(fixtures, name);
      const expected = compileFixture(fixture)?.configs.map(({ listeners, clusters }) => ({
        listeners: listeners.map(({ json }) => json),
        clusters: clusters.map(({ json }) => json),
      }));
      const options = JSON.parse(readFileSync(join(fixtures, name, 'case.json'), 'utf8'));
      const keySets = Object.entries<string>(options.jwks ?? {}).map(([issuer, file]) => ({
        ...{ issuer, path: file, text: readFileSync(join(fixtures, name, file), 'utf8') },
      }));
      const workloads = fixture.select === 'all' ? undefined : fixture.select;
      const { proxies } = await compile({ files: fixture.files, workloads, keySets, variables: options.variables });
      expect(proxies?.map(({ listeners, clusters }) => ({ listeners, clusters }))).toEqual(expected);
      expect(proxies).not.toEqual([]);
    },
  );

  test('gives with delivery ads the endpoints apart from their clusters, and the names that a control plane serves', async () => {
    const { files } = await readFixture(fixtures, 'plain-client');
    const [inFiles, served] = await Promise.all([compile({ files }), compile({ files, delivery: 'ads' })]);
    expect(inFiles.proxies?.every(({ endpoints }) => endpoints.length === 0)).toBe(true);
    const [proxy] = served.proxies ?? [];
    expect(proxy?.bootstrap).toMatchObject({ dynamic_resources: { cds_config: { ads: {} }, lds_config: { ads: {} } } });
    const ofEds = proxy?.clusters.filter(({ type }) => type === 'EDS').map(({ name }) => name);
    expect(ofEds).not.toEqual([]);
    expect(proxy?.endpoints.map(({ cluster_name: name }) => name)).toEqual(ofEds);
    await expect(compile({ files, delivery: 'xds' as 'ads' })).rejects.toThrow('compile: delivery is ');
  });

  test.each([
    [{ rootNamespace: 'Mesh-System' }, 'compile: rootNamespace is "Mesh-System", expected the name of a namespace'],
    [{ rootNamespace: '' }, 'compile: rootNamespace is "", expected the name of a namespace'],
    [{ trustDomain: '' }, 'compile: trustDomain is "", expected a name'],
  ])(
    'refuses %j: policies of the whole mesh would hold nowhere, or names in another domain',
    async (input, message) => {
      await expect(compile({ files: [mesh], ...input })).rejects.toThrow(message);
    },
  );

  test('gives no proxy when one text of many has an error, and reports all errors at once', async () => {
    const wrong = (path: string) => ({ path, text: 'apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\n' });
    const meshConfig = { path: 'config.yaml', text: 'trustDomian: a\n' };
    const { proxies, diagnostics } = await compile({ files: [mesh, wrong('a.yaml'), wrong('b.yaml')], meshConfig });
    expect(proxies).toBeUndefined();
    expect(diagnostics.map(({ place }) => place?.file)).toEqual([
      'a.yaml',
      'a.yaml',
      'b.yaml',
      'b.yaml',
      'config.yaml',
    ]);
  });

  test('says of a bootstrap that the mesh configuration names that it is not read, unless one is given', async () => {
    const meshConfig = { path: 'config.yaml', text: 'defaultConfig: {customConfigFile: /etc/custom.json}\n' };
    const template = { path: 'config.yaml', text: 'defaultConfig: {proxyBootstrapTemplatePath: /etc/b.hbs}\n' };
    const files = [mesh];
    const expected = ['config.yaml bootstrap-not-read'];
    expect(await codesOf({ files, meshConfig })).toEqual(expected);
    expect(await codesOf({ files, meshConfig: template })).toEqual(expected);
    const custom = {
      path: 'custom.json',
      text: readFileSync(join(fixtures, '../../templates/bootstrap.json.hbs'), 'utf8'),
    };
    expect(await codesOf({ files, meshConfig, bootstrap: { custom } })).not.toContain(expected[0]);
    const own = { name: 'bootstrap.json.hbs', path: 'b.hbs', text: custom.text };
    expect(await codesOf({ files, meshConfig: template, templates: [own] })).toEqual([]);
  });

  test('takes no variable from the environment', async () => {
    process.env.PROXY_CONFIG = 'no: [yaml';
    try {
      expect((await compile({ files: [mesh] })).proxies).toHaveLength(1);
      expect(await codesOf({ files: [mesh], variables: { PROXY_CONFIG: 'no: [yaml' } })).toContain(
        '$PROXY_CONFIG yaml-syntax',
      );
    } finally {
      delete process.env.PROXY_CONFIG;
    }
  });

  test('reports input without an object, and without a proxy', async () => {
    expect(await codesOf({ files: [] })).toEqual([' empty-input']);
    expect(await codesOf({ files: [{ path: 'a.yaml', text: '# nothing\n' }] })).toContain(' empty-input');
    const text = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n';
    expect(await codesOf({ files: [{ path: 'a.yaml', text }] })).toContain(' empty-input');
  });

  test('reports a template that is wrong at its line', async () => {
    const template = { name: 'bootstrap.json.hbs', path: 'mine.hbs', text: '{\n{{#each nodes}}' };
    expect(await codesOf({ files: [mesh], templates: [template] })).toEqual([
      expect.stringMatching(/^mine\.hbs template-/),
    ]);
  });

  test('lays a bootstrap of the user over the made one, or puts it in its place, whatever its spelling', async () => {
    const override = { path: 'override.yaml', text: 'node: {id: mine}\nstatsFlushInterval: 7s\n' };
    const [laid] = (await compile({ files: [mesh], bootstrap: { override } })).proxies ?? [];
    expect(laid?.bootstrap).toMatchObject({ node: { id: 'mine' }, stats_flush_interval: '7s' });
    expect(laid?.bootstrap).toHaveProperty('dynamic_resources');
    const custom = { path: 'custom.json', text: JSON.stringify({ ...laid?.bootstrap, stats_flush_interval: '9s' }) };
    const [put] = (await compile({ files: [mesh], bootstrap: { custom } })).proxies ?? [];
    expect(put?.bootstrap).toEqual({ ...laid?.bootstrap, stats_flush_interval: '9s' });
  });

  test('reports a bootstrap of the user at its line, and shows no secret of it', async () => {
    const text = 'node:\n  metadata: {TOKEN: opensesame}\n  idd: a\n';
    const { proxies, diagnostics } = await compile({
      files: [mesh],
      bootstrap: { override: { path: 'o.yaml', text } },
    });
    expect(proxies).toBeUndefined();
    expect(diagnostics.map(({ place }) => `${place?.file}:${place?.start.line}`)).toEqual(['o.yaml:3']);
    expect(JSON.stringify(diagnostics)).not.toContain('opensesame');
    for (const wrong of ['', 'a: [', 'a: 1\n---\nb: 2\n']) {
      const custom = { path: 'c.yaml', text: wrong };
      expect((await codesOf({ files: [mesh], bootstrap: { custom } })).map((it) => it.split(' ')[0])).toContain(
        'c.yaml',
      );
    }
  });

  test('rejects texts of one path, and what is no text', async () => {
    await expect(compile({ files: [mesh, mesh] })).rejects.toThrow(
      'compile: two texts have the path "mesh.yaml", expected one path for each',
    );
    await expect(compile(undefined as never)).rejects.toThrow('compile: the input is undefined, expected an object');
    const noText = { path: 'a.yaml', text: undefined as unknown as string };
    await expect(compile({ files: [noText] })).rejects.toThrow(TypeError);
  });
});

test.each([
  [{}, 'compile: files is undefined, expected an array'],
  [{ files: null }, 'compile: files is null, expected an array'],
  [{ files: ['a'] }, 'compile: files[0] is a string, expected an object'],
  [{ files: new Array(1) }, 'compile: files[0] is undefined, expected an object'],
  [{ files: [{ path: 'a', text: 5 }] }, 'compile: files[0].text is a number, expected a string'],
  [{ files: [], trustDomain: 5 }, 'compile: trustDomain is a number, expected a string'],
  [{ files: [], workloads: ['foo/a'] }, 'compile: workloads[0] is a string, expected an object'],
  [{ files: [], workload: [] }, 'compile: workload has no meaning, expected files, meshConfig, '],
  [{ files: [], workload: [] }, '; did you mean "workloads"?'],
  [{ files: [], variables: { A: 1 } }, 'compile: variables.A is a number, expected a string'],
  [{ files: [], bootstrap: { custom: [] } }, 'compile: bootstrap.custom is an array, expected an object'],
])('compile refuses %j, which is not of its type, and says where', async (input, message) => {
  const refused = compile(input as never);
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.toThrow(message);
});

test('formatDiagnostics writes each form, and refuses another', async () => {
  const result = await compile({ files: [{ path: 'a.yaml', text: 'kind: [\n' }] });
  expect(formatDiagnostics(result)).toMatch(/^a\.yaml:\d+:\d+: error: [\s\S]*1 error in 1 of 1 file\n$/);
  expect(JSON.parse(formatDiagnostics(result, 'json'))).toMatchObject({ summary: { errors: 1, files: 1 } });
  expect(formatDiagnostics(result, 'github')).toMatch(/^::error file=a\.yaml,/);
  expect(() => formatDiagnostics(result, 'html' as 'text')).toThrow('the form is "html"');
});

test('schemas has a schema for each kind', () => {
  expect(schemas.get('PeerAuthentication')).toMatchObject({ title: 'PeerAuthentication' });
  expect([...schemas.keys()]).toEqual([...schemas.keys()].sort());
});
