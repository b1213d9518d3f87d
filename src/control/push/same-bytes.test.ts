import { expect, test } from 'vitest';
import { createCompiler } from '../../compiler/compile.ts';
import type { Delivery, EnvoyConfig, Resource } from '../../compiler/render/resource.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { versionOf } from '../../output/served-versions.ts';
import { type Fixture, fixtureNames, readFixture } from '../../testing/fixture.ts';
import { SnapshotReceiver } from './mesh-snapshot.ts';
import { SnapshotSender } from './snapshot-sender.ts';

const folder = 'fixtures/ok';
const lists = ['clusters', 'endpoints', 'listeners', 'routes'] as const;

test('with endpoints put back and sources rewritten, meshd serves for every golden what meshpol compile writes', async () => {
  const seen = { served: 0, apart: 0, unnamed: [] as string[] };
  for (const name of fixtureNames(folder)) {
    const fixture = await readFixture(folder, name);
    const inFiles = compile(fixture, 'files');
    const forStreams = compile(fixture, 'ads');
    expect(forStreams.map(({ workload }) => workload)).toEqual(inFiles.map(({ workload }) => workload));
    for (const [i, config] of forStreams.entries()) {
      const other = inFiles[i];
      if (other === undefined) continue;
      expectEqual(config.clusters.map(endpointsPutBack(config)), other.clusters.map(plain), name);
      expectEqual(config.listeners.map(plain), other.listeners.map(plain), name);
      expectEqual(config.routes.map(plain), other.routes.map(plain), name);
      expect(other.endpoints).toEqual([]);
      seen.apart += config.endpoints.length;
    }
    seen.served += compareServed(forStreams, name);
    seen.unnamed.push(...forStreams.flatMap((config) => unnamedRoutes(config).map((table) => `${name}: ${table}`)));
  }
  // The address of the only pod of a headless service is no listener at that pod.
  expect(seen.unnamed).toEqual(['lower-detected-headless: web.a.svc.cluster.local:7000']);
  expect(seen.apart).toBeGreaterThan(700);
  expect(seen.served).toBeGreaterThan(5_000);
});

/** Names and versions, which are digests of what is sent, beyond the thread that compiles; of routes those that are asked for. */
function compareServed(configs: readonly EnvoyConfig[], name: string): number {
  const sent = new SnapshotSender().send({ configs, workloads: [] }, () => false);
  const { proxies } = new SnapshotReceiver().receive(structuredClone(sent));
  let compared = 0;
  for (const config of configs) {
    const views = proxies.get(`${config.namespace}/${config.workload}`)?.views;
    const unnamed = new Set(unnamedRoutes(config));
    expect(unnamedEndpoints(config), name).toEqual([]);
    for (const list of lists) {
      const wanted = list === 'routes' ? config.routes.filter((table) => !unnamed.has(table.name)) : config[list];
      const served = views?.[list].all.map((resource) => `${resource.name} ${resource.version}`);
      expect(served, name).toEqual(wanted.map((resource) => `${resource.name} ${versionOf(resource)}`));
      compared += served?.length ?? 0;
    }
  }
  return compared;
}

/** Tables that no listener names: an agent never asks for them. */
function unnamedRoutes({ listeners, routes }: EnvoyConfig): readonly string[] {
  const tables = new Set(listeners.flatMap(({ json }) => valuesOf('route_config_name', json)));
  return routes.map(({ name }) => name).filter((name) => !tables.has(name));
}

function unnamedEndpoints({ clusters, endpoints }: EnvoyConfig): readonly string[] {
  const names = clusters
    .filter(({ json }) => json.type === 'EDS')
    .map(({ name, json }) => valuesOf('service_name', json.eds_cluster_config)[0] ?? name);
  const asked = new Set(names);
  return endpoints.map(({ name }) => name).filter((name) => !asked.has(name));
}

/** Whatever stands in a field of this name, at any depth. */
function valuesOf(field: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === field ? [inner] : valuesOf(field, inner)));
}

function compile(fixture: Fixture, delivery: Delivery): readonly EnvoyConfig[] {
  const { name, files, select, settings, templates, keySets } = fixture;
  // meshd refuses them.
  expect(templates, name).toBeUndefined();
  const bag = new DiagnosticBag();
  const configs = createCompiler({ settings, delivery }).compile(files, select, bag, keySets)?.configs;
  expect(
    bag.all.filter(({ severity }) => severity === 'error'),
    name,
  ).toEqual([]);
  return configs ?? [];
}

/** Texts are compared first: lists that differ are shown as values. */
function expectEqual(found: readonly string[], expected: readonly string[], name: string): void {
  if (found.join('\n') === expected.join('\n')) return;
  expect(
    found.map((text) => JSON.parse(text)),
    name,
  ).toEqual(expected.map((text) => JSON.parse(text)));
  throw new Error(`${name}: the same values in another order`);
}

/** A resource without where its routes and a gateway's secrets come from. */
function plain({ json }: Resource): string {
  return inOrder(JSON.parse(JSON.stringify(json, withoutSource)));
}

/** The order of fields says nothing. */
function inOrder(json: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(json).sort(([a], [b]) => (a < b ? -1 : 1))));
}

const sources = ['ads', 'path_config_source', 'api_config_source'];

function withoutSource(key: string, value: unknown): unknown {
  const isGatewaySecret = (it: object): boolean =>
    'sds_config' in it && 'name' in it && String(it.name).startsWith('kubernetes://');
  if (key === 'config_source' && typeof value === 'object' && value !== null) return sourceless(value);
  if (typeof value !== 'object' || value === null || !isGatewaySecret(value)) return value;
  return { ...value, sds_config: sourceless((value as { readonly sds_config: object }).sds_config) };
}

function sourceless(source: object): object {
  return Object.fromEntries(Object.entries(source).filter(([key]) => !sources.includes(key)));
}

/** The clusters as they are in files. */
function endpointsPutBack({ endpoints }: EnvoyConfig): (cluster: Resource) => string {
  const assigned = new Map(endpoints.map((resource) => [resource.name, resource]));
  return (cluster) => {
    if (cluster.json.type !== 'EDS') return plain(cluster);
    const own = assigned.get(cluster.name);
    const text = plain(cluster);
    const found = text.replace(nobody, '');
    // Where nobody is known who may serve, a cluster in files accepts everybody, and has no endpoint that takes TLS.
    if (found !== text) expect(own?.text).not.toContain('tlsMode');
    const { eds_cluster_config, ...rest } = JSON.parse(found);
    expect(eds_cluster_config).toMatchObject({ eds_config: { ads: {} } });
    return inOrder({ ...rest, type: 'STATIC', load_assignment: own?.json });
  };
}

const nobody = '"match_typed_subject_alt_names":[{"san_type":"URI","matcher":{"exact":"spiffe://nobody.invalid/"}}]';
