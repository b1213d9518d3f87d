import { expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { fixtureNames, readFixture } from '../testing/fixture.ts';
import { createCompiler } from './compile.ts';
import type { Delivery, EnvoyConfig, Resource } from './render/resource.ts';

type Json = Readonly<Record<string, unknown>>;

const folder = 'fixtures/ok';

/** Every tenth case, and those that have most to say of endpoints. */
const cases = fixtureNames(folder).filter((name, i) => i % 10 === 0 || /headless|locality|redis|slices/.test(name));

test('every case has in both deliveries the same clusters, endpoints, listeners and routes', async () => {
  let apart = 0;
  for (const name of cases) {
    const { files, select, settings, templates, keySets, bag } = await readFixture(folder, name);
    if (templates !== undefined || bag.hasErrors) continue;
    const compile = (delivery: Delivery): readonly EnvoyConfig[] => {
      const own = new DiagnosticBag();
      const compiled = createCompiler({ settings, delivery }).compile(files, select, own, keySets);
      expect(
        own.all.filter(({ severity }) => severity === 'error'),
        name,
      ).toEqual([]);
      return compiled?.configs ?? [];
    };
    const inFiles = compile('files');
    const served = compile('ads');
    expect(served.map(({ workload }) => workload)).toEqual(inFiles.map(({ workload }) => workload));
    for (const [i, config] of served.entries()) {
      const other = inFiles[i];
      expect(
        config.clusters.map((cluster) => withEndpoints(cluster, config)),
        name,
      ).toEqual(jsonOf(other?.clusters));
      expect(withoutSources(config.listeners), name).toEqual(withoutSources(other?.listeners));
      expect(jsonOf(config.routes), name).toEqual(jsonOf(other?.routes));
      expect(other?.endpoints).toEqual([]);
      apart += config.endpoints.length;
    }
  }
  expect(apart).toBeGreaterThan(100);
});

/** The cluster as it is in files. */
function withEndpoints({ name, json }: Resource, { endpoints }: EnvoyConfig): Json {
  if (json.type !== 'EDS') return json;
  const assigned = endpoints.filter((resource) => resource.name === name);
  const { eds_cluster_config, ...rest } = withoutNobody(json, assigned[0]);
  expect(eds_cluster_config).toMatchObject({ eds_config: { ads: {} } });
  expect(assigned).toHaveLength(1);
  return { ...rest, type: 'STATIC', load_assignment: assigned[0]?.json };
}

/** Where nobody is known who may serve, a cluster in files accepts everybody, and has no endpoint that takes TLS. */
function withoutNobody(json: Json, assigned: Resource | undefined): Json {
  const text = JSON.stringify(json);
  const found = text.replace(nobody, '');
  if (found !== text) expect(assigned?.text).not.toContain('tlsMode');
  return JSON.parse(found);
}

const nobody = '"match_typed_subject_alt_names":[{"san_type":"URI","matcher":{"exact":"spiffe://nobody.invalid/"}}]';

function jsonOf(resources: readonly Resource[] = []): readonly Json[] {
  return resources.map(({ json }) => json);
}

/** Listeners as text, without where their routes come from. */
function withoutSources(resources: readonly Resource[] = []): readonly string[] {
  return resources.map(({ text }) => text.replace(/"config_source": \{[\s\S]*?"resource_api_version"/g, '"from"'));
}
