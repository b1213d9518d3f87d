import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../src/testbed/until.ts';
import { tries } from '../../src/testing/effort.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { type Content, envoyContent, servedContent } from './envoy-content.ts';
import { RandomChanges, randomTopology } from './random-changes.ts';
import type { ProxyManner } from './served-fleet.ts';
import { createServedMesh, type ServedMesh } from './served-mesh.ts';

const manners: Readonly<Record<string, ProxyManner>> = {
  'a/curl': { via: 'direct', form: 'delta' },
  'a/web': { via: 'agent', form: 'delta' },
  'b/api': { via: 'direct', form: 'state of the world' },
  'c/late': { via: 'agent', form: 'state of the world' },
};
/** Of so many changes each: half a minute in all, and ten of `make soak`. */
const runs = Array.from({ length: tries(1, 24) }, (_, i) => i + 1);
const changesOfRun = 15;

describeMesh('random changes of a mesh with four Envoys', () => {
  const seed = Number(process.env.GENERATED_SEED ?? randomInt(2 ** 30));
  const changes = new RandomChanges(seed);
  let mesh: ServedMesh;

  beforeAll(async () => {
    const mannerOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): ProxyManner =>
      manners[`${namespace}/${name}`] as ProxyManner;
    // As long as a listener drains, its routes stay.
    const meshConfig = { defaultConfig: { drainDuration: '1s' } };
    mesh = await createServedMesh({ topology: randomTopology, mannerOf, meshConfig });
  });
  afterAll(() => mesh?.close());

  // Each run goes on where the one before has ended.
  test.each(runs)('run %i: after each change every Envoy has what is served, and none has refused any', async (run) => {
    for (let i = 1; i <= changesOfRun; i += 1) {
      const { files, removed } = changes.next(run === 1 && i === 1 ? 12 : undefined);
      if (Object.keys(files).length > 0) await mesh.testbed.apply(files);
      for (const name of removed) await mesh.testbed.remove(name);
      await agree(`GENERATED_SEED=${seed}, run ${run}, change ${i}: ${Object.keys(files)} put, ${removed} removed`);
    }
  });

  /** Envoy says that it has taken a change before the last of it is in force: clusters warm. */
  async function agree(what: string): Promise<void> {
    for (const pod of Object.keys(manners)) {
      const served = servedContent(await mesh.fleet.resourcesOf(pod));
      const faults = async (): Promise<readonly string[]> => [
        ...differences(served, envoyContent(await mesh.testbed.sidecar(pod).admin('GET', '/config_dump?include_eds'))),
      ];
      await until(async () => ((await faults()).length === 0 ? true : undefined), {
        timeoutMs: 60_000,
        everyMs: 100,
        otherwise: async () => `${what}: ${pod} differs: ${(await faults()).join('\n')}`,
      });
      expect(await mesh.testbed.sidecar(pod).counter('update_rejected$'), `${what}: ${pod}`).toBe(0);
    }
    expect(
      (await mesh.fleet.rows()).map(({ refused }) => refused),
      what,
    ).toEqual([[], [], [], []]);
  }
});

function* differences(served: Content, has: Content): Iterable<string> {
  for (const name of new Set([...Object.keys(served), ...Object.keys(has)])) {
    if (served[name] !== has[name]) yield `${name}\n  served: ${served[name]}\n  Envoy:  ${has[name]}`;
  }
}
