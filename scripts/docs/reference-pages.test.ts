import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { compile } from '../../src/compiler/compile.ts';
import { defaultSettings } from '../../src/config/defaults.ts';
import { isMeshSetting } from '../../src/config/mesh-config.ts';
import { isProxySetting } from '../../src/config/proxy-config.ts';
import { readSettings } from '../../src/config/read.ts';
import { DiagnosticBag } from '../../src/diagnostics/bag.ts';
import { knownKinds } from '../../src/schema/kinds.ts';
import { commandNames, optionsOf } from './command-options.ts';
import { commandHeadings } from './command-pages.ts';
import { type SchemaField, schemaFields } from './schema-fields.ts';

const folder = 'fixtures/kinds';

describe('the smallest YAML of each kind', () => {
  test.each(knownKinds.map(({ kind, id = kind }) => ({ kind, id })))(
    'of $id begins with an object of that kind',
    ({ kind, id }) => {
      const [first] = loadAll(readFileSync(join(folder, `${id}.yaml`), 'utf8'));
      expect(first).toMatchObject({ kind });
    },
  );

  test('is compiled, all of them as one mesh, without an error and with the two warnings of examples without routes and keys', () => {
    const bag = new DiagnosticBag();
    const files = readdirSync(folder).map((name) => ({ path: name, text: readFileSync(join(folder, name), 'utf8') }));
    const compilation = compile({ files, settings: defaultSettings, select: 'all' }, bag);
    expect(compilation?.configs.length).toBeGreaterThan(3);
    expect(bag.all.filter(({ severity }) => severity !== 'info').map(({ code }) => code)).toEqual([
      'gateway-server-without-routes',
      'key-set-not-at-hand',
    ]);
  });
});

describe('the defaults in the schemas', () => {
  const mesh = schemaFields('mesh-config').filter(({ path }) => !path.startsWith('defaultConfig'));
  const proxy = schemaFields('proxy-config');

  test('are the settings that hold without a mesh configuration', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'defaults-')), 'mesh');
    onTestFinished(() => rmSync(join(path, '..'), { recursive: true }));
    writeFileSync(path, JSON.stringify({ ...withDefaults(mesh), defaultConfig: withDefaults(proxy) }));
    const bag = new DiagnosticBag();
    const { settings } = await readSettings({ meshConfig: { path, isRequired: true }, environment: {} }, bag);
    expect(bag.all).toEqual([]);
    expect({ ...settings, origins: {} }).toEqual({ ...defaultSettings, origins: {} });
  });

  /** What these are without a value cannot be written as one. */
  const without = ['rootNamespace', 'tcpKeepalive', 'localityLbSetting', 'concurrency', 'gatewayTopology'];
  const collectors = ['envoyMetricsService', 'envoyAccessLogService'];

  test('stand at every setting that has one', () => {
    const fields = [
      ...mesh.filter(({ path }) => isMeshSetting(rootOf(path))),
      ...proxy.filter(({ path }) => isProxySetting(rootOf(path))),
    ];
    const roots = [...new Set(fields.map(({ path }) => rootOf(path)))];
    const bare = roots.filter((root) => !fields.some((it) => rootOf(it.path) === root && it.default !== undefined));
    expect(bare.sort()).toEqual([...without, ...collectors].sort());
  });
});

function rootOf(path: string): string {
  return path.split('.')[0] ?? path;
}

/** The document in which each field has its default. */
function withDefaults(fields: readonly SchemaField[]): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  for (const { path, default: value } of fields) {
    if (value === undefined) continue;
    const names = path.split('.');
    const last = names.pop() ?? '';
    const parent = names.reduce<Record<string, unknown>>((at, name) => {
      at[name] ??= {};
      return at[name] as Record<string, unknown>;
    }, document);
    parent[last] = load(JSON.stringify(value));
  }
  return document;
}

describe('docs/reference/mesh-configuration.md', () => {
  test('names every field of the mesh configuration that is accepted', () => {
    const page = readFileSync('docs/reference/mesh-configuration.md', 'utf8');
    const accepted = schemaFields('mesh-config').filter(({ unsupported }) => unsupported === undefined);
    const own = accepted.map(({ path }) => path).filter((path) => !path.startsWith('defaultConfig'));
    expect(own.filter((path) => !page.includes(`| \`${path}\` |`))).toEqual([]);
  });
});

describe('the page of a command', () => {
  test.each(commandNames())('of %s has the headings of every such page, in their order', (name) => {
    const text = readFileSync(`docs/reference/${name.replace(' ', '-')}.md`, 'utf8');
    expect(text).toMatch(new RegExp(`^# ${name}\n`));
    expect(Array.from(text.matchAll(/^## (.*)$/gm), ([, heading]) => heading)).toEqual(commandHeadings);
    expect(text).toContain(optionsOf(name));
  });

  test.each(commandNames())('of %s lists the exit codes that every command has', (name) => {
    const text = readFileSync(`docs/reference/${name.replace(' ', '-')}.md`, 'utf8');
    const [, rows = ''] = text.split('\n## Exit codes\n');
    const codes = Array.from(rows.matchAll(/^\| (\d+) \|/gm), ([, code]) => Number(code));
    expect(codes).toEqual(expect.arrayContaining([exitCode.done, exitCode.usage, exitCode.bug]));
  });
});

describe('the settings of docs/guides/proxies-in-front.md', () => {
  const blocks = Array.from(
    readFileSync('docs/guides/proxies-in-front.md', 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm),
    ([, text = '']) => text,
  );

  test('give a gateway the proxies in front that the page says, in the mesh configuration and in an annotation', async () => {
    const [meshConfig = '', pod = ''] = blocks;
    const path = join(mkdtempSync(join(tmpdir(), 'guide-')), 'mesh');
    onTestFinished(() => rmSync(join(path, '..'), { recursive: true }));
    writeFileSync(path, meshConfig);
    const { metadata } = load(pod) as { readonly metadata: { readonly annotations: Record<string, string> } };
    const bag = new DiagnosticBag();
    const options = { meshConfig: { path, isRequired: true }, environment: {} };
    const ofMesh = await readSettings(options, bag);
    const ofPod = await readSettings({ ...options, annotation: metadata.annotations['proxy.mesh.io/config'] }, bag);
    expect(bag.all).toEqual([]);
    expect(ofMesh.settings.proxy.gatewayTopology.numTrustedProxies).toBe(1);
    expect(ofPod.settings.proxy.gatewayTopology.numTrustedProxies).toBe(2);
    expect(blocks).toHaveLength(2);
  });
});
