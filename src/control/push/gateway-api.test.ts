import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCompiler } from '../../compiler/compile.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { versionOf } from '../../output/served-versions.ts';
import { fixtureNames, readFixture } from '../../testing/fixture.ts';
import { FilesRegistry } from '../registry/files.ts';
import type { FromCompiler } from './compile-messages.ts';
import { CompiledMesh } from './compiled-mesh.ts';
import { SnapshotReceiver } from './mesh-snapshot.ts';

const folder = 'fixtures/ok';
const lists = ['clusters', 'endpoints', 'listeners', 'routes'] as const;
const fixtures = fixtureNames(folder).filter((name) => name.startsWith('standard-'));

type Told<T extends FromCompiler['type']> = Extract<FromCompiler, { readonly type: T }>;

/** The first message of a type about the objects of a fixture. */
async function firstOf<T extends FromCompiler['type']>(
  type: T,
  name: string,
  readsGatewayApi: boolean | undefined,
): Promise<Told<T>> {
  const source = { type: 'folder', folder: join(folder, name) } as const;
  const data = {
    ...{ source, settings: { environment: {} }, trustDomain: 'cluster.local', readsGatewayApi },
    ...{ debounce: { afterMs: 0, maxMs: 0 }, gathersEndpoints: true },
  };
  return new Promise((resolve) => {
    const mesh = new CompiledMesh(data, undefined, {
      registry: new FilesRegistry(source.folder),
      tell: (message) => void (message.type === type && resolve(message as Told<T>)),
      keeper: undefined,
      keySets: { fetch: async () => undefined, find: () => ({ reason: 'there are none' }) },
    });
    void mesh.look();
  });
}

describe('PILOT_ENABLED_SERVICE_APIS', () => {
  test.each(fixtures)('true serves %s as meshpol compile does for ADS', async (name) => {
    const { snapshot, isSound } = await firstOf('snapshot', name, true);
    expect(isSound).toBe(true);
    const { proxies } = new SnapshotReceiver().receive(structuredClone(snapshot));
    const { files, select, settings, keySets } = await readFixture(folder, name);
    const compiler = createCompiler({ settings, delivery: 'ads' });
    const configs = compiler.compile(files, select, new DiagnosticBag(), keySets)?.configs ?? [];
    expect(configs).not.toEqual([]);
    for (const config of configs) {
      const views = proxies.get(`${config.namespace}/${config.workload}`)?.views;
      for (const list of lists) {
        const served = views?.[list].all.map((resource) => `${resource.name} ${resource.version}`);
        expect(served).toEqual(config[list].map((resource) => `${resource.name} ${versionOf(resource)}`));
      }
    }
  });

  test.each([undefined, false])('%s skips the objects, and refuses policies that name them', async (reads) => {
    const { text } = await firstOf('refused', 'standard-policies', reads);
    expect(text).toContain(
      '"targetRefs" is not supported: it names objects of the Gateway API, which are skipped here; write a "selector", or set PILOT_ENABLED_SERVICE_APIS=true in the environment of meshd',
    );
    const { snapshot } = await firstOf('snapshot', 'standard-http', reads);
    const { proxies } = new SnapshotReceiver().receive(structuredClone(snapshot));
    expect(proxies.get('shop/edge')?.views.routes.all).toEqual([]);
  });
});
