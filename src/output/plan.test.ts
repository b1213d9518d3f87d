import { describe, expect, test } from 'vitest';
import type { EnvoyConfig, Resource, ResourceType } from '../compiler/render/resource.ts';
import type { MeshFile } from '../contracts/mesh-file.ts';
import { discoveryResponse } from './discovery-response.ts';
import { filesBeside, planFiles } from './plan.ts';

function resource(type: ResourceType, name: string): Resource {
  const json = { name, stat_prefix: 'x' };
  return { type, name, text: JSON.stringify(json, null, 2), json, origins: [] };
}

function config(workload: string, clusters: readonly Resource[]): EnvoyConfig {
  return {
    namespace: 'shop',
    workload,
    bootstrap: resource('bootstrap', ''),
    listeners: [resource('listener', 'virtualInbound')],
    clusters,
    routes: [resource('route', 'inbound|80||'), resource('route', '../../etc/passwd')],
  };
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
