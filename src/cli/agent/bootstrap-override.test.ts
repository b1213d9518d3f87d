import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../../compiler/compile.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { readUserBootstrap } from '../../live/read-bootstrap.ts';
import type { SourceFile } from '../../source/document.ts';
import { badOverrides } from './testing/bad-overrides.ts';

const pod = {
  path: 'pod.yaml',
  text: `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: a}
spec: {containers: [{name: mesh-proxy}]}
status: {podIP: 10.0.0.1}
`,
};

type Json = Readonly<Record<string, never>>;

describe('MESH_BOOTSTRAP_OVERRIDE', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'override-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function compiled(override: string, custom?: string) {
    const names = { override: join(folder, 'override.yaml'), custom: join(folder, 'custom.yaml') };
    await writeFile(names.override, override);
    if (custom !== undefined) await writeFile(names.custom, custom);
    const bag = new DiagnosticBag();
    const texts: SourceFile[] = [pod];
    const paths = { override: override === '' ? undefined : names.override, custom: custom && names.custom };
    const bootstrap = await readUserBootstrap(paths, bag, texts);
    const compiler = createCompiler({ settings: defaultSettings, bootstrap });
    const compilation = bag.hasErrors ? undefined : compiler.compile([pod], 'all', bag);
    const json = compilation?.configs[0]?.bootstrap.json as Json | undefined;
    return { json, told: format(bag.all, texts, 'text').replaceAll(`${folder}/`, '') };
  }

  test('is laid over the bootstrap, in YAML or JSON, in either spelling', async () => {
    const yaml = 'staticResources:\n  clusters:\n  - {name: mine, connectTimeout: 1s}\nstats_flush_interval: 9s\n';
    const json = '{"static_resources":{"clusters":[{"name":"mine","connect_timeout":"1s"}]},"statsFlushInterval":"9s"}';
    for (const text of [yaml, json]) {
      const { json: made, told } = await compiled(text);
      expect(told).not.toContain('error');
      expect(made).toMatchObject({
        stats_flush_interval: '9s',
        node: { id: expect.stringContaining('web.a') },
        static_resources: {
          clusters: [{ name: 'agent' }, { name: 'prometheus_stats' }, { name: 'sds-grpc' }, { name: 'mine' }],
        },
      });
    }
  });

  test.each(badOverrides.map((entry) => [entry.name, entry] as const))('is refused with %s', async (_, entry) => {
    const { json, told } = await compiled(entry.text);
    expect(json).toBeUndefined();
    expect(told).toMatch(new RegExp(`^override\\.yaml:${entry.line}:\\d+: error: .*(?:${entry.reason.source})`, 'm'));
  });

  test.each([
    ['reads no listeners of ours', 'admin: {}\n', 1, /lds_config|path is absent/],
    [
      'shows its admin interface',
      'node: {}\nadmin: {address: {socket_address: {address: "::", port_value: 1}}}\n',
      2,
      /admin interface is at/,
    ],
    ['hides figures', 'node: {}\nstats_config:\n  stats_matcher: {reject_all: true}\n', 3, /statistics that it hides/],
    ['has a field that Envoy lacks', 'node:\n  idd: x\n', 2, /unknown field "idd"/],
  ])('goes with customConfigFile, which is refused when it %s', async (_, custom, line, reason) => {
    const { json, told } = await compiled('', custom);
    expect(json).toBeUndefined();
    expect(told).toMatch(new RegExp(`^custom\\.yaml:${line}:\\d+: error: .*(?:${reason.source})`, 'm'));
  });

  test('is merged over customConfigFile, and errors name the file that they are in', async () => {
    const source = (name: string): string => `{path_config_source: {path: ./etc/mesh/proxy/${name}.json}}`;
    const custom = [
      'node: {id: mine, cluster: x}',
      'admin: {address: {socket_address: {address: 127.0.0.1, port_value: 15000}}}',
      `dynamic_resources: {lds_config: ${source('listeners')}, cds_config: ${source('clusters')}}`,
      'static_resources: {clusters: [{name: sds-grpc}]}\n',
    ].join('\n');
    expect((await compiled('node: {cluster: y}\n', custom)).json).toMatchObject({ node: { id: 'mine', cluster: 'y' } });
    const { told } = await compiled('node: {clustr: y}\n', custom.replace('id: mine', 'idd: mine'));
    expect(told).toMatch(/^custom\.yaml:1:13: error: .*unknown field "idd"/m);
    expect(told).toMatch(/^override\.yaml:1:16: error: .*unknown field "clustr"/m);
  });

  test('is an error when it is not there, which names the file and the variable', async () => {
    const paths = { override: join(folder, 'absent.yaml'), custom: undefined };
    await expect(readUserBootstrap(paths, new DiagnosticBag(), [])).rejects.toThrow(
      /cannot read ".*absent\.yaml", which MESH_BOOTSTRAP_OVERRIDE names/,
    );
  });

  test('shows no secret of its own in a message', async () => {
    const { told } = await compiled('node: {metadata: {password: hunter2}, clusterr: x}\n');
    expect(told).toContain('unknown field "clusterr"');
    expect(told).not.toContain('hunter2');
  });
});
