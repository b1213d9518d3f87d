import { writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAdminClient } from '../envoy/admin.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../envoy/process.ts';
import { eventually } from '../testing/eventually.ts';
import { freePorts } from '../testing/free-ports.ts';
import { startTestServer, type TestServer } from '../testing/http-server.ts';
import { configurationTypes } from './aggregated-service.ts';
import { ServedSocket } from './testing/served-socket.ts';
import { adsBootstrap, cluster, endpoints, listener, route } from './testing/small-mesh.ts';

const socket = new ServedSocket();

interface Pushed {
  readonly typeUrl: string;
}

describe.each(['DELTA_GRPC', 'GRPC'] as const)('Envoy without an agent over %s', (apiType) => {
  let envoy: EnvoyProcess | undefined;
  let backends: readonly TestServer[];
  let ports: readonly number[];

  beforeEach(async () => {
    backends = await Promise.all(
      ['one', 'two'].map((text) => startTestServer((_request, response) => response.end(text))),
    );
    ports = await freePorts(4);
  });
  afterEach(async () => {
    envoy?.signal('SIGKILL');
    await envoy?.exited;
    await Promise.all(backends.map((backend) => backend.close()));
  });

  const backendPort = (i: number): number => backends[i]?.port ?? 0;
  const startEnvoy = async (): Promise<void> => {
    const path = join(socket.folder, 'bootstrap.json');
    await writeFile(path, JSON.stringify(adsBootstrap(apiType, ports[0] ?? 0, socket.path)));
    envoy = await spawnEnvoy({
      binary: findEnvoy({ env: process.env, repositoryRoot: resolve(import.meta.dirname, '../..') }),
      args: ['-c', path, '--disable-hot-restart', '-l', 'off', '--concurrency', '1', '--drain-time-s', '1'],
      output: 'ignore',
    });
  };
  const get = (port = ports[1] ?? 0): Promise<string> =>
    new Promise((settle) => {
      const asked = httpRequest({ port, agent: false }, (response) => {
        let text = `${response.statusCode} `;
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => settle(text));
      });
      asked.on('error', (error: NodeJS.ErrnoException) => settle(String(error.code)));
      asked.end();
    });
  const until = (expected: string, port?: number): Promise<void> =>
    eventually(async () => expect(await get(port)).toBe(expected), { interval: 20 });
  const stat = async (name: string): Promise<number> => {
    const { body } = await createAdminClient({ port: ports[0] ?? 0 }).get(`/stats?filter=^${name}$`);
    return Number(body.split(': ')[1]);
  };
  const serveOne = (): void =>
    socket.served.serve({
      clusters: [cluster('one')],
      endpoints: [endpoints('one', backendPort(0))],
      listeners: [listener('web', ports[1] ?? 0, 'web')],
      routes: [route('web', 'one')],
    });

  test('loses no request while services come, are routed to, flip their endpoints and go', async () => {
    serveOne();
    await socket.start();
    await startEnvoy();
    await until('200 one');
    const answers = new Map<string, number>();
    let isOver = false;
    const load = (async () => {
      while (!isOver) {
        const answer = await get();
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    })();
    for (let round = 0; round < 8; round++) {
      const [name, gone] = [`two-${round}`, `two-${round - 1}`];
      socket.served.serve({
        clusters: [cluster('one'), cluster(name)],
        endpoints: [endpoints('one', backendPort(0)), endpoints(name, backendPort(1))],
        routes: [route('web', name)],
      });
      await until('200 two');
      socket.served.serve({
        endpoints: [endpoints('one', backendPort(0)), endpoints(name, backendPort(0), backendPort(1))],
      });
      // The cluster itself changes: its endpoints must come again, or it warms for ever.
      socket.served.serve({ clusters: [cluster('one'), cluster(name, '2s')] });
      await eventually(async () => expect(await stat('cluster_manager.warming_clusters')).toBe(0));
      expect(socket.served.stores.clusters.view.get(gone)).toBeUndefined();
      serveOne();
      await until('200 one');
    }
    isOver = true;
    await load;
    expect([...answers.keys()].sort()).toEqual(['200 one', '200 two']);
    expect(await stat('cluster_manager.cds.update_rejected')).toBe(0);
    await eventually(async () => expect(await stat('cluster_manager.active_clusters')).toBe(2));
  });

  test('answers a request that waits in a filter while its route is changed and its service goes', async () => {
    const [, port = 0] = ports;
    socket.served.serve({
      clusters: [cluster('one'), cluster('two')],
      endpoints: [endpoints('one', backendPort(0)), endpoints('two', backendPort(1))],
      listeners: [listener('web', port, 'web', '127.0.0.1', '1s')],
      routes: [route('web', 'two')],
    });
    await socket.start();
    await startEnvoy();
    await until('200 two');
    const waiting = get();
    await eventually(async () => expect(await stat('http.web.fault.active_faults')).toBe(1));
    socket.served.serve({
      clusters: [cluster('one')],
      endpoints: [endpoints('one', backendPort(0))],
      routes: [route('web', 'one')],
    });
    expect(await waiting).toBe('200 two');
    await until('200 one');
    await eventually(async () => expect(await stat('cluster_manager.active_clusters')).toBe(2));
  });

  test('answers all that it is sent while a listener goes that waits for its routes, and these come', async () => {
    serveOne();
    await socket.start();
    await startEnvoy();
    await until('200 one');
    socket.served.serve({ listeners: [], routes: [] });
    const listeners = (state: string): Promise<number> => stat(`listener_manager.total_listeners_${state}`);
    // Then Envoy follows no routes any more.
    await eventually(async () => expect([await listeners('active'), await listeners('draining')]).toEqual([0, 0]));
    socket.served.serve({ listeners: [listener('late', ports[1] ?? 0, 'absent')] });
    await eventually(async () => expect(await listeners('warming')).toBe(1));
    const settled = new Promise<void>((resolve) => {
      socket.served.onSettled = resolve;
    });
    socket.served.serve({ listeners: [], routes: [route('absent', 'one')] });
    await settled;
    expect(await listeners('warming')).toBe(0);
    serveOne();
    await until('200 one');
  });

  test('gets all but the one listener that it refuses, and that one with its next version', async () => {
    const culprits: string[] = [];
    const [web = 0, other = 0] = ports.slice(1);
    socket.served.serve({
      clusters: [cluster('one')],
      endpoints: [endpoints('one', backendPort(0))],
      listeners: [
        listener('bad', 80, 'web', '192.0.2.1'),
        listener('other', other, 'web'),
        listener('web', web, 'web'),
      ],
      routes: [route('web', 'one')],
    });
    await socket.start({
      isolated: (isolation: { culprits: readonly { name: string }[] }) =>
        void culprits.push(...isolation.culprits.map(({ name }) => name)),
    });
    await startEnvoy();
    await until('200 one', web);
    await until('200 one', other);
    await eventually(() => expect(culprits).toEqual(['bad']));
    const third = ports[3] ?? 0;
    socket.served.serve({
      listeners: [listener('bad', third, 'web'), listener('other', other, 'web'), listener('web', web, 'web')],
    });
    await until('200 one', third);
    expect(culprits).toEqual(['bad']);
  });

  test('goes on while its control plane is away, and gets what changed meanwhile', async () => {
    serveOne();
    await socket.start();
    await startEnvoy();
    await until('200 one');
    await socket.server?.close();
    expect(await get()).toBe('200 one');
    socket.served.serve({ endpoints: [endpoints('one', backendPort(1))] });
    const pushes: string[] = [];
    await socket.start({ pushed: ({ typeUrl }: Pushed) => void pushes.push(typeUrl) });
    await until('200 two');
    if (apiType === 'DELTA_GRPC') expect(pushes).toEqual([configurationTypes.endpoints.typeUrl]);
  });
});
