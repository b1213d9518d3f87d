import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { EnvoyConfig, Resource, ResourceType } from '../compiler/render/resource.ts';
import { withResources } from '../compiler/render/testing/with-resources.ts';
import type { MeshFile } from '../contracts/mesh-file.ts';
import { compileFixture, readFixture } from '../testing/fixture.ts';
import { discoveryResponse, typedMessage } from './discovery-response.ts';
import { filesBeside, oneDocument, planFiles } from './plan.ts';

function resource(type: ResourceType, name: string): Resource {
  const json = { name, stat_prefix: 'x' };
  return { type, name, text: JSON.stringify(json, null, 2), json, origins: [] };
}

function config(workload: string, clusters: readonly Resource[]): EnvoyConfig {
  return withResources({
    namespace: 'shop',
    workload,
    bootstrap: resource('bootstrap', ''),
    listeners: [resource('listener', 'virtualInbound')],
    clusters,
    routes: [resource('route', 'inbound|80||'), resource('route', '../../etc/passwd')],
  });
}

const mesh: MeshFile = {
  format: 1,
  trustDomain: 'cluster.local',
  trustDomainAliases: [],
  capture: { inboundPort: 1, outboundPort: 2, interceptionMode: 'REDIRECT', excludedInboundPorts: [] },
  workloads: [],
  services: [],
};

describe('discoveryResponse', () => {
  test('is canonical JSON whose resources begin with their type', () => {
    const text = discoveryResponse([resource('cluster', 'a'), resource('cluster', 'b')]).text;
    expect(`${JSON.stringify(JSON.parse(text), null, 2)}\n`).toBe(text);
    expect(Object.entries(JSON.parse(text).resources[0])[0]).toEqual([
      '@type',
      'type.googleapis.com/envoy.config.cluster.v3.Cluster',
    ]);
  });

  test('has a version that is the same for the same content, and only for it', () => {
    const version = (...names: string[]): string =>
      JSON.parse(discoveryResponse(names.map((name) => resource('cluster', name))).text).version_info;
    expect(version('a', 'b')).toBe(version('a', 'b'));
    expect(new Set([version('a', 'b'), version('a'), version('b'), version('b', 'a'), version()]).size).toBe(5);
  });
});

describe('planFiles', () => {
  test('gives routes names that stay inside the folder', () => {
    const paths = [...planFiles({ configs: [config('cart', [])], mesh }, { files: [] })].map(({ path }) => path);
    expect(paths).toEqual([
      'shop/cart/clusters.json',
      'shop/cart/routes/inbound%7C80%7C%7C.json',
      'shop/cart/routes/..%2F..%2Fetc%2Fpasswd.json',
      'shop/cart/listeners.json',
      'shop/cart/bootstrap.json',
      'shop/cart/origins.json',
      'mesh.json',
    ]);
  });

  test('puts the text of shared resources together once', () => {
    const shared = Array.from({ length: 3 }, (_, index) => resource('cluster', `c${index}`));
    let reads = 0;
    const counted = shared.map((one) => ({
      ...one,
      get text() {
        reads++;
        return one.text;
      },
    }));
    const configs = Array.from({ length: 50 }, (_, index) => config(`w${index}`, [...counted]));
    expect([...planFiles({ configs, mesh }, { files: [] })].length).toBe(50 * 6 + 1);
    expect(reads).toBe(3);
  });
});

describe('planFiles and oneDocument in YAML', () => {
  const fixtures = join(import.meta.dirname, '../../fixtures/ok');
  const fixture = async (name: string) => {
    const { files, ...rest } = await readFixture(fixtures, name);
    return { compilation: compileFixture({ files, ...rest })!, files };
  };

  test.each(['jwt-inline-keys', 'gateway-credential', 'route-delegate'])(
    'say for %s what they say in JSON, and read no text again',
    async (name) => {
      const { compilation, files } = await fixture(name);
      for (const isAnnotated of [false, true]) {
        const json = [...planFiles(compilation, { files, isAnnotated })];
        const parse = vi.spyOn(JSON, 'parse');
        const yaml = [...planFiles(compilation, { files, isAnnotated, format: 'yaml' })];
        const documents = compilation.configs.map((it) =>
          oneDocument(compilation, it, { files, isAnnotated, format: 'yaml' }),
        );
        // Names that a path quotes are read by it too.
        expect(parse.mock.calls.filter(([text]) => !text.startsWith('"'))).toEqual([]);
        parse.mockRestore();
        expect(yaml.map(({ path }) => path)).toEqual(json.map(({ path }) => path.replace(/json$/, 'yaml')));
        expect(yaml.map(({ text }) => parseYaml(text))).toEqual(json.map(({ text }) => JSON.parse(text)));
        expect(documents.map((text) => parseYaml(text))).toEqual(
          compilation.configs.map((it) => JSON.parse(oneDocument(compilation, it, { files, isAnnotated }))),
        );
      }
    },
  );

  test('list the resources of a file as values, and its text says no other', async () => {
    const { compilation, files } = await fixture('jwt-inline-keys');
    const lists = [...planFiles(compilation, { files })].filter(({ resources }) => resources !== undefined);
    expect(lists.length).toBeGreaterThan(2);
    for (const { text, resources } of lists) {
      expect(JSON.parse(text).resources).toEqual(resources?.map((it) => typedMessage(it)));
    }
  });
});

describe('filesBeside', () => {
  test('asks for the mesh when somebody wants the text, each time', () => {
    let asked = 0;
    const compilation = {
      get mesh() {
        asked++;
        return mesh;
      },
    };
    const files = filesBeside(compilation, config('cart', []), []);
    expect(asked).toBe(0);
    for (let i = 0; i < 2; i++) expect(files.get('mesh.json')?.()).toBe(`${JSON.stringify(mesh, null, 2)}\n`);
    expect(asked).toBe(2);
  });
});
