import { renameSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { denyPath, objects, serviceMesh } from './testing/sample-mesh.ts';

describe('a change of the inputs of pilot-agent proxy', () => {
  let proxy: ProxyProgram;

  beforeEach(async () => {
    proxy = await ProxyProgram.create(serviceMesh);
  });
  afterEach(() => proxy.close());

  const start = async (...args: readonly string[]): Promise<void> => {
    proxy.start(args.length === 0 ? {} : { args });
    await proxy.logged('state=running');
  };
  /** Paths that requests to the workload are denied. */
  const denied = async (): Promise<readonly string[]> => {
    const found = (await proxy.read('listeners.json')).match(/"exact": "\/[a-z0-9]+"/g) ?? [];
    return [...new Set(found.map((text) => text.slice(10, -1)))].sort();
  };
  const denies = (...paths: readonly string[]): Promise<void> =>
    eventually(async () => expect(await denied()).toEqual(paths), { interval: 20 });
  const metric = (name: string): number | undefined => {
    const { body } = proxy.curl('http://127.0.0.1:15020/stats/prometheus');
    const line = body.split('\n').find((text) => text.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  };

  test('is followed through volumes of Kubernetes, renames, new folders, and folders that come back', async () => {
    const publish = async (version: number): Promise<void> => {
      await mkdir(join(proxy.folder, `mesh/..v${version}`));
      await proxy.write(`mesh/..v${version}/p.yaml`, denyPath(`/v${version}`));
      await symlink(`..v${version}`, join(proxy.folder, 'mesh/..data_tmp'));
      await rename(join(proxy.folder, 'mesh/..data_tmp'), join(proxy.folder, 'mesh/..data'));
      await rm(join(proxy.folder, `mesh/..v${version - 1}`), { recursive: true, force: true });
    };
    await publish(0);
    await symlink('..data/p.yaml', join(proxy.folder, 'mesh/p.yaml'));
    await start();
    for (let version = 1; version <= 5; version++) {
      await publish(version);
      await denies(`/v${version}`);
    }
    await mkdir(join(proxy.folder, 'mesh/later/deep'), { recursive: true });
    await proxy.write('mesh/later/deep/q.yaml', denyPath('/q', 'q'));
    await denies('/q', '/v5');
    await rename(join(proxy.folder, 'mesh/later'), join(proxy.folder, 'away'));
    await denies('/v5');
    await rename(join(proxy.folder, 'away'), join(proxy.folder, 'mesh/later'));
    await denies('/q', '/v5');
    await rename(join(proxy.folder, 'mesh'), join(proxy.folder, 'gone'));
    await proxy.logged(/the last valid configuration stays in force: cannot read "mesh"/);
    expect(await denied()).toEqual(['/q', '/v5']);
    expect(proxy.curl('http://127.0.0.1:15020/healthz/ready').status).toBe(200);
    await proxy.write('gone/q.yaml', denyPath('/r', 'r'));
    await rename(join(proxy.folder, 'gone'), join(proxy.folder, 'mesh'));
    await denies('/q', '/r', '/v5');
  });

  test('is followed into a folder that configSources names from then on, and that comes later', async () => {
    await proxy.write('mesh.yaml', `configSources: [{address: "fs://${proxy.folder}/mesh"}]\n`);
    await start('--meshConfig', 'mesh.yaml');
    const both = ['mesh', 'more'].map((name) => `{address: "fs://${proxy.folder}/${name}"}`).join(', ');
    await proxy.write('mesh.yaml', `configSources: [${both}]\n`);
    await proxy.logged(/the last valid configuration stays in force: cannot read/);
    await mkdir(join(proxy.folder, 'more'));
    await proxy.write('more/p.yaml', denyPath('/p'));
    await denies('/p');
    await proxy.write('more/p.yaml', denyPath('/changed'));
    await denies('/changed');
    await proxy.write('mesh.yaml', 'configSources: [{address: "xds://control:15010"}]\n');
    await proxy.logged(/the last valid configuration stays in force: configSources .*is for meshd/);
    expect(await denied()).toEqual(['/changed']);
  });

  test('is applied except for the invalid object, which keeps its last valid version until it is fixed', async () => {
    await proxy.write('mesh/p.yaml', objects(denyPath('/1', 'one'), denyPath('/2', 'two')));
    await start();
    await proxy.write('mesh/p.yaml', objects(denyPath('/1', 'one').replace('DENY', 'DENI'), denyPath('/2x', 'two')));
    await denies('/1', '/2x');
    await proxy.logged(
      /the last valid version of AuthorizationPolicy foo\/one stays in force: mesh\/p\.yaml:4:\d+: error/,
    );
    expect(metric('mesh_agent_objects_held')).toBe(1);
    expect(metric('pilot_total_rejected_configs{type="authorizationpolicy",name="foo/one"}')).toBe(1);
    expect(await proxy.read('origins.json')).toContain(
      'mesh/p.yaml (last valid version of AuthorizationPolicy foo/one)',
    );

    // Never good, and it may select this workload: nothing of the change is used.
    // The agent sees the two writes together, so that they are one change however long a busy machine waits between them.
    process.kill(proxy.pid, 'SIGSTOP');
    writeFileSync(join(proxy.folder, 'mesh/q.yaml'), denyPath('/3', 'three').replace('DENY', 'DENI'));
    writeFileSync(join(proxy.folder, 'mesh/p.yaml'), objects(denyPath('/1', 'one'), denyPath('/2y', 'two')));
    process.kill(proxy.pid, 'SIGCONT');
    await proxy.logged(/the last valid configuration stays in force: mesh\/q\.yaml:4:\d+: error/);
    expect(await denied()).toEqual(['/1', '/2x']);
    expect(metric('mesh_agent_reload_failures_total{reason="invalid"}')).toBe(1);
    expect(metric('pilot_total_rejected_configs{type="authorizationpolicy",name="foo/three"}')).toBe(1);
    expect(proxy.curl('http://127.0.0.1:15020/healthz/ready').status).toBe(200);

    await proxy.write('mesh/q.yaml', denyPath('/3', 'three'));
    await denies('/1', '/2y', '/3');
    await eventually(() => expect(metric('mesh_agent_objects_held')).toBe(0));
    expect(proxy.output.match(/the change is not taken/g)).toHaveLength(1);
  });

  test('a thousand times within a second is compiled once or twice', async () => {
    // The usual 100 ms are less than a busy machine may leave between two of the writes.
    proxy.start({ environment: { PILOT_DEBOUNCE_AFTER: '2s' } });
    await proxy.logged('state=running');
    const before = metric('mesh_agent_compilations_total') ?? 0;
    for (let i = 0; i < 1_000; i++) {
      writeFileSync(join(proxy.folder, 'mesh/new'), denyPath(`/p${i}`));
      renameSync(join(proxy.folder, 'mesh/new'), join(proxy.folder, 'mesh/p.yaml'));
    }
    await denies('/p999');
    expect((metric('mesh_agent_compilations_total') ?? 0) - before).toBeLessThanOrEqual(2);
    // The listeners are written before what stands beside them.
    await proxy.logged(/configuration in force.*configuration in force/s);
    expect(await readdir(join(proxy.folder, 'etc/mesh/proxy'))).not.toContainEqual(expect.stringMatching(/tmp$/));
  });

  test('waits until no change came for PILOT_DEBOUNCE_AFTER, and no longer than PILOT_DEBOUNCE_MAX', async () => {
    proxy.start({ environment: { PILOT_DEBOUNCE_AFTER: '1s', PILOT_DEBOUNCE_MAX: '2s' } });
    await proxy.logged('state=running');
    const waits = (): readonly number[] => [...proxy.output.matchAll(/ms=(\d+)/g)].map(([, ms]) => Number(ms));
    await proxy.write('mesh/p.yaml', denyPath('/p'));
    await eventually(() => expect(waits()).toHaveLength(1));
    expect(waits()[0]).toBeGreaterThanOrEqual(1_000);
    for (let i = 0; waits().length < 2; i++) {
      await proxy.write('mesh/p.yaml', denyPath(`/p${i}`));
      await delay(100);
    }
    expect(waits()[1]).toBeGreaterThanOrEqual(2_000);
  });
});
