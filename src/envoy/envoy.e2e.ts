import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { delay } from '../lib/abort.ts';
import {
  type AdminClient,
  AdminUnreachableError,
  type ConfigState,
  createAdminClient,
  drainListeners,
} from './admin.ts';
import { type EnvoyProcess, exitCode, findEnvoy, spawnEnvoy } from './process.ts';
import { readConfigState } from './testing/config-state.ts';
import { readServerState } from './testing/server-state.ts';
import { validateConfig } from './validate.ts';

const binary = findEnvoy({ env: process.env, repositoryRoot: path.resolve(import.meta.dirname, '../..') });

let folder = '';
let envoy: EnvoyProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'envoy-e2e-'));
});

afterEach(async () => {
  envoy?.signal('SIGKILL');
  await envoy?.exited;
  envoy = undefined;
  await rm(folder, { recursive: true, force: true });
});

describe('a running Envoy', () => {
  test('reports state and versions, and drains, over a Unix socket, and exits with 0', async () => {
    await writeResources('lds', 'a1', [listener()]);
    await writeResources('cds', 'b1', []);
    const admin = await start();
    await until(async () => (await readServerState(admin)) === 'LIVE');
    const state = await inForce(admin, 'a1');
    expect(state.versions.get('cluster_manager.cds.version_text')).toBe('b1');
    expect(state.warmingListeners + state.warmingClusters).toBe(0);
    await writeResources('lds', 'a2', [listener()]);
    await inForce(admin, 'a2');
    expect((await drainListeners(admin, { inboundOnly: true, graceful: true })).status).toBe(200);
    expect((await drainListeners(admin, {})).status).toBe(200);
    expect((await admin.get('/no-such-page')).status).toBe(404);
    envoy?.signal('SIGTERM');
    expect(await envoy?.exited).toEqual({ code: 0, signal: null });
    await expect(admin.get('/ready')).rejects.toThrow(AdminUnreachableError);
  });

  test('shows a listener that waits for its secret as warming, although its version is reported already', async () => {
    await writeResources('lds', 'a1', []);
    await writeResources('cds', 'b1', [secretCluster()]);
    const admin = await start();
    await inForce(admin, 'a1');
    await until(async () => (await readServerState(admin)) === 'LIVE');
    await writeResources('lds', 'a2', [listener({ transport_socket: tlsSocket() })]);
    expect((await inForce(admin, 'a2')).warmingListeners).toBe(1);
  });

  test('ends with a code that is not 0 when it cannot start', async () => {
    envoy = await spawnEnvoy({ binary, args: ['-c', path.join(folder, 'missing.json')], output: 'ignore' });
    expect(exitCode(await envoy.exited)).toBe(1);
  });
});

describe('the admin client', () => {
  test('gives up after its time', async () => {
    await writeResources('lds', 'a1', []);
    await writeResources('cds', 'b1', []);
    const admin = await start();
    await until(async () => (await readServerState(admin)) === 'LIVE');
    process.kill(envoy?.pid ?? 0, 'SIGSTOP');
    const asked = Date.now();
    await expect(admin.get('/ready', { timeoutMs: 200 })).rejects.toThrow(AdminUnreachableError);
    expect(Date.now() - asked).toBeLessThan(5_000);
  });

  test('passes on the reason of the caller who stops it', async () => {
    const reason = new Error('enough');
    const admin = createAdminClient({ socketPath: path.join(folder, 'none.sock') });
    await expect(admin.get('/ready', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('validateConfig', () => {
  test('accepts a good file and gives the reason for a bad value, without its secrets', async () => {
    const file = path.join(folder, 'good.json');
    await writeFile(file, '{}');
    expect(await validateConfig(binary, file)).toEqual({ ok: true, message: '', exit: { code: 0, signal: null } });
    const node = { id: 'a', metadata: { key: 's3cret' } };
    for (const bad of [
      { bogus: 1 },
      { stats_flush_interval: '5ms' },
      { stats_flush_interval: '0s' },
      { stats_flush_interval: '-1s' },
    ]) {
      const validation = await validateConfig(binary, { node, ...bad });
      expect(validation).toMatchObject({
        ok: false,
        message: expect.stringMatching(/bogus|stats_flush_interval|StatsFlushInterval|duration/),
      });
      expect(validation.message).not.toContain('s3cret');
    }
  });

  test('stops when the caller does', async () => {
    const reason = new Error('enough');
    await expect(validateConfig(binary, {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

async function start(): Promise<AdminClient> {
  const socketPath = path.join(folder, 'admin.sock');
  const source = (name: string): object => ({
    resource_api_version: 'V3',
    initial_fetch_timeout: '0s',
    path_config_source: { path: path.join(folder, `${name}.json`), watched_directory: { path: folder } },
  });
  const bootstrap = {
    node: { id: 'test', cluster: 'test' },
    admin: { address: { pipe: { path: socketPath } } },
    dynamic_resources: { lds_config: source('lds'), cds_config: source('cds') },
  };
  const file = path.join(folder, 'bootstrap.json');
  await writeFile(file, JSON.stringify(bootstrap));
  envoy = await spawnEnvoy({ binary, args: ['-c', file, '--disable-hot-restart', '-l', 'critical'], output: 'ignore' });
  const admin = createAdminClient({ socketPath });
  await until(() =>
    readServerState(admin).then(
      () => true,
      () => false,
    ),
  );
  return admin;
}

async function writeResources(name: string, version: string, resources: readonly object[]): Promise<void> {
  const type = name === 'lds' ? 'listener.v3.Listener' : 'cluster.v3.Cluster';
  const typed = resources.map((resource) => ({ '@type': `type.googleapis.com/envoy.config.${type}`, ...resource }));
  await writeFile(path.join(folder, `${name}.tmp`), JSON.stringify({ version_info: version, resources: typed }));
  await rename(path.join(folder, `${name}.tmp`), path.join(folder, `${name}.json`));
}

function listener(chain: object = {}): object {
  const proxy = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
    stat_prefix: 'test',
    cluster: 'none',
  };
  const filters = [{ name: 'envoy.filters.network.tcp_proxy', typed_config: proxy }];
  return {
    name: 'l',
    address: { pipe: { path: path.join(folder, 'l.sock') } },
    filter_chains: [{ ...chain, filters }],
  };
}

function tlsSocket(): object {
  const grpc = {
    api_type: 'GRPC',
    transport_api_version: 'V3',
    grpc_services: [{ envoy_grpc: { cluster_name: 'sds' } }],
  };
  const secret = {
    name: 'default',
    sds_config: { resource_api_version: 'V3', initial_fetch_timeout: '0s', api_config_source: grpc },
  };
  const context = {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext',
    common_tls_context: { tls_certificate_sds_secret_configs: [secret] },
  };
  return { name: 'envoy.transport_sockets.tls', typed_config: context };
}

function secretCluster(): object {
  const endpoint = { endpoint: { address: { pipe: { path: path.join(folder, 'sds.sock') } } } };
  return {
    name: 'sds',
    type: 'STATIC',
    load_assignment: { cluster_name: 'sds', endpoints: [{ lb_endpoints: [endpoint] }] },
  };
}

async function inForce(admin: AdminClient, version: string): Promise<ConfigState> {
  await until(async () => (await readConfigState(admin)).versions.get('listener_manager.lds.version_text') === version);
  return readConfigState(admin);
}

/** Asks until it is so; the test's own time limit ends a wait in vain. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20);
}
