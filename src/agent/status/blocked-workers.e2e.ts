import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AdminClient, createAdminClient } from '../../envoy/admin.ts';
import type { Json } from '../../envoy/api/resource-file.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import { eventually } from '../../testing/eventually.ts';
import { blockedWorkers } from './blocked-workers.ts';

const repositoryRoot = join(import.meta.dirname, '../../..');

/** Holds the worker thread that takes the request. */
const block = 'function envoy_on_request() local stop = os.time() + 6 while os.time() < stop do end end';

const filter = (name: string, type: string, rest: object = {}): object => ({
  name,
  typed_config: { '@type': `type.googleapis.com/envoy.extensions.filters.${type}`, ...rest },
});

const bootstrapOf = (folder: string): Json => ({
  stats_flush_interval: '1s',
  admin: { address: { pipe: { path: join(folder, 'admin.sock') } } },
  static_resources: {
    listeners: [
      {
        name: 'own',
        address: { pipe: { path: join(folder, 'own.sock') } },
        filter_chains: [
          {
            filters: [
              filter('hcm', 'network.http_connection_manager.v3.HttpConnectionManager', {
                stat_prefix: 'own',
                route_config: {
                  virtual_hosts: [
                    {
                      name: 'own',
                      domains: ['*'],
                      routes: [{ match: { prefix: '/' }, direct_response: { status: 200 } }],
                    },
                  ],
                },
                http_filters: [
                  filter('lua', 'http.lua.v3.Lua', { default_source_code: { inline_string: block } }),
                  filter('router', 'http.router.v3.Router'),
                ],
              }),
            ],
          },
        ],
      },
    ],
  },
});

describe('blockedWorkers', () => {
  let folder: string;
  let envoy: EnvoyProcess | undefined;
  let admin: AdminClient;
  let bootstrap: Json;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blocked-workers-'));
    bootstrap = bootstrapOf(folder);
    await writeFile(join(folder, 'envoy.json'), JSON.stringify(bootstrap));
    const binary = findEnvoy({ env: process.env, repositoryRoot });
    const args = ['-c', join(folder, 'envoy.json'), '--disable-hot-restart', '--concurrency', '2', '-l', 'error'];
    envoy = await spawnEnvoy({ binary, args, output: 'inherit' });
    admin = createAdminClient({ socketPath: join(folder, 'admin.sock') });
    await eventually(async () => expect((await admin.get('/ready')).body).toBe('LIVE\n'));
  });
  afterAll(async () => {
    envoy?.signal('SIGKILL');
    await envoy?.exited;
    await rm(folder, { recursive: true, force: true });
  });

  test('reports one blocked worker of two while Envoy is LIVE, until the worker is free', async () => {
    const blocked = (): Promise<string | undefined> =>
      blockedWorkers(admin, bootstrap, { timeoutMs: 1000, patienceSeconds: 1 });
    expect(await blocked()).toBeUndefined();
    request({ socketPath: join(folder, 'own.sock'), path: '/' })
      .on('error', () => undefined)
      .end();
    await eventually(async () => expect(await blocked()).toMatch(/^a worker thread of Envoy has been blocked/), {
      interval: 100,
    });
    expect((await admin.get('/ready')).body).toBe('LIVE\n');
    await eventually(async () => expect(await blocked()).toBeUndefined(), { interval: 100 });
  });
});
