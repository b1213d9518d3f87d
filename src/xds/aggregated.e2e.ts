import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAdminClient } from '../envoy/admin.ts';
import { decodeMessage } from '../envoy/api/decode.ts';
import { encodeMessage } from '../envoy/api/encode.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../envoy/process.ts';
import { freePorts } from '../testing/free-ports.ts';
import { startTestServer, type TestServer } from '../testing/http-server.ts';
import { aggregatedService, configurationTypes } from './aggregated-service.ts';
import { StreamRefusal } from './scope.ts';
import { type DiscoveryServer, startDiscoveryServer } from './server.ts';
import { ServedConfiguration } from './testing/served-configuration.ts';
import { adsBootstrap, cluster, endpoints, listener, route } from './testing/small-mesh.ts';

let folder: string;
let socket: string;
let server: DiscoveryServer | undefined;
let served: ServedConfiguration;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ads-'));
  socket = join(folder, 'XDS');
  served = new ServedConfiguration();
});
afterEach(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Pushed {
  readonly typeUrl: string;
}

const start = async (observer = {}, stepTimeoutMs?: number): Promise<void> => {
  const service = aggregatedService((_call, { node }) => {
    if (node === undefined || node.id === '') throw new StreamRefusal(3, 'the first request names no node');
    return served.scope(stepTimeoutMs);
  });
  server = await startDiscoveryServer(socket, [service], observer);
};

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
    const path = join(folder, 'bootstrap.json');
    await writeFile(path, JSON.stringify(adsBootstrap(apiType, ports[0] ?? 0, socket)));
    envoy = await spawnEnvoy({
      binary: findEnvoy({ env: process.env, repositoryRoot: resolve(import.meta.dirname, '../..') }),
      args: ['-c', path, '--disable-hot-restart', '-l', 'off', '--concurrency', '1'],
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
    vi.waitFor(async () => expect(await get(port)).toBe(expected), { timeout: 10_000, interval: 20 });
  const stat = async (name: string): Promise<number> => {
    const { body } = await createAdminClient({ port: ports[0] ?? 0 }).get(`/stats?filter=^${name}$`);
    return Number(body.split(': ')[1]);
  };
  const serveOne = (): void =>
    served.serve({
      clusters: [cluster('one')],
      endpoints: [endpoints('one', backendPort(0))],
      listeners: [listener('web', ports[1] ?? 0, 'web')],
      routes: [route('web', 'one')],
    });

  test('loses no request while services come, are routed to, flip their endpoints and go', async () => {
    serveOne();
    await start();
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
      served.serve({
        clusters: [cluster('one'), cluster(name)],
        endpoints: [endpoints('one', backendPort(0)), endpoints(name, backendPort(1))],
        routes: [route('web', name)],
      });
      await until('200 two');
      served.serve({ endpoints: [endpoints('one', backendPort(0)), endpoints(name, backendPort(0), backendPort(1))] });
      // The cluster itself changes: its endpoints must come again, or it warms for ever.
      served.serve({ clusters: [cluster('one'), cluster(name, '2s')] });
      await vi.waitFor(async () => expect(await stat('cluster_manager.warming_clusters')).toBe(0), 5_000);
      expect(served.stores.clusters.view.get(gone)).toBeUndefined();
      serveOne();
      await until('200 one');
    }
    isOver = true;
    await load;
    expect([...answers.keys()].sort()).toEqual(['200 one', '200 two']);
    expect(await stat('cluster_manager.cds.update_rejected')).toBe(0);
    await vi.waitFor(async () => expect(await stat('cluster_manager.active_clusters')).toBe(2), 10_000);
  });

  test('answers a request that waits in a filter while its route is changed and its service goes', async () => {
    const [, port = 0] = ports;
    served.serve({
      clusters: [cluster('one'), cluster('two')],
      endpoints: [endpoints('one', backendPort(0)), endpoints('two', backendPort(1))],
      listeners: [listener('web', port, 'web', '127.0.0.1', '1s')],
      routes: [route('web', 'two')],
    });
    await start();
    await startEnvoy();
    await until('200 two');
    const waiting = get();
    await vi.waitFor(async () => expect(await stat('http.web.fault.active_faults')).toBe(1), 5_000);
    served.serve({
      clusters: [cluster('one')],
      endpoints: [endpoints('one', backendPort(0))],
      routes: [route('web', 'one')],
    });
    expect(await waiting).toBe('200 two');
    await until('200 one');
    await vi.waitFor(async () => expect(await stat('cluster_manager.active_clusters')).toBe(2), 10_000);
  });

  test('gets all but the one listener that it refuses, and that one with its next version', async () => {
    const culprits: string[] = [];
    const [web = 0, other = 0] = ports.slice(1);
    served.serve({
      clusters: [cluster('one')],
      endpoints: [endpoints('one', backendPort(0))],
      listeners: [
        listener('bad', 80, 'web', '192.0.2.1'),
        listener('other', other, 'web'),
        listener('web', web, 'web'),
      ],
      routes: [route('web', 'one')],
    });
    await start({
      isolated: (isolation: { culprits: readonly { name: string }[] }) =>
        void culprits.push(...isolation.culprits.map(({ name }) => name)),
    });
    await startEnvoy();
    await until('200 one', web);
    await until('200 one', other);
    await vi.waitFor(() => expect(culprits).toEqual(['bad']), 5_000);
    const third = ports[3] ?? 0;
    served.serve({
      listeners: [listener('bad', third, 'web'), listener('other', other, 'web'), listener('web', web, 'web')],
    });
    await until('200 one', third);
    expect(culprits).toEqual(['bad']);
  });

  test('goes on while its control plane is away, and gets what changed meanwhile', async () => {
    serveOne();
    await start();
    await startEnvoy();
    await until('200 one');
    await server?.close();
    expect(await get()).toBe('200 one');
    served.serve({ endpoints: [endpoints('one', backendPort(1))] });
    const pushes: string[] = [];
    await start({ pushed: ({ typeUrl }: Pushed) => void pushes.push(typeUrl) });
    await until('200 two');
    if (apiType === 'DELTA_GRPC') expect(pushes).toEqual([configurationTypes.endpoints.typeUrl]);
  });
});

describe('the aggregated service in raw frames', () => {
  interface Seen {
    readonly nonce: string;
    readonly type_url: string;
    readonly resources?: readonly { readonly name: string; readonly version: string }[];
    readonly removed_resources?: readonly string[];
  }

  let client: Client | undefined;
  afterEach(() => {
    client?.close();
    client = undefined;
  });

  const open = (method = 'DeltaAggregatedResources') => {
    client ??= new Client(`unix:${socket}`, credentials.createInsecure());
    const asIs = (bytes: Buffer): Buffer => bytes;
    const service = '/envoy.service.discovery.v3.AggregatedDiscoveryService';
    const call: ClientDuplexStream<Buffer, Buffer> = client.makeBidiStreamRequest(`${service}/${method}`, asIs, asIs);
    const seen: Seen[] = [];
    const errors: { code?: number; details?: string }[] = [];
    call.on('data', (bytes: Buffer) => {
      seen.push(decodeMessage('envoy.service.discovery.v3.DeltaDiscoveryResponse', bytes) as Seen);
    });
    call.on('error', (error: { code?: number }) => void errors.push(error));
    const ask = (fields: object): void => {
      call.write(Buffer.from(encodeMessage('envoy.service.discovery.v3.DeltaDiscoveryRequest', fields)));
    };
    return { call, seen, errors, ask };
  };
  const node = { id: 'n' };
  const type = (list: keyof typeof configurationTypes) => ({ type_url: configurationTypes[list].typeUrl });
  const serveSome = (timeout?: string): void =>
    served.serve({
      clusters: [cluster('a', timeout), cluster('b')],
      endpoints: [endpoints('a', 1), endpoints('b', 1)],
      listeners: [listener('web', 1, 'web')],
      routes: [route('web', 'a')],
    });

  test('have nonces that never come twice on a stream, whatever the type', async () => {
    serveSome();
    await start();
    const { seen, ask } = open();
    ask({ node, ...type('clusters') });
    ask({ ...type('endpoints'), resource_names_subscribe: ['a', 'b'] });
    ask({ ...type('listeners') });
    await vi.waitFor(() => expect(seen).toHaveLength(3));
    for (const [i, timeout] of ['2s', '1s', '2s', '1s'].entries()) {
      serveSome(timeout);
      // The changed cluster, and its endpoints again.
      await vi.waitFor(() => expect(seen).toHaveLength(5 + 2 * i));
    }
    expect(new Set(seen.map(({ nonce }) => nonce)).size).toBe(seen.length);
    const last = seen.slice(-2).map(({ type_url, resources }) => [type_url, resources?.map(({ name }) => name)]);
    expect(last).toEqual([
      [configurationTypes.clusters.typeUrl, ['a']],
      [configurationTypes.endpoints.typeUrl, ['a']],
    ]);
  });

  test('carry nothing to a client that comes back with the versions of all it has', async () => {
    serveSome();
    await start();
    const first = open();
    first.ask({ node, ...type('clusters') });
    first.ask({ ...type('endpoints'), resource_names_subscribe: ['a', 'b'] });
    await vi.waitFor(() => expect(first.seen).toHaveLength(2));
    const [clusters = {}, assignments = {}] = first.seen.map(({ resources = [] }) =>
      Object.fromEntries(resources.map(({ name, version }) => [name, version])),
    );
    first.call.cancel();
    const again = open();
    again.ask({ node, ...type('clusters'), initial_resource_versions: clusters });
    again.ask({
      ...type('endpoints'),
      resource_names_subscribe: ['a', 'b', 'absent'],
      initial_resource_versions: assignments,
    });
    await vi.waitFor(() => expect(again.seen).toHaveLength(1));
    expect(again.seen[0]).toMatchObject({ removed_resources: ['absent'] });
    expect(again.seen[0]?.resources ?? []).toEqual([]);
  });

  test('wait with listeners for the word about clusters, but not for ever', async () => {
    serveSome();
    await start({}, 300);
    const { seen, ask } = open();
    for (const list of ['clusters', 'listeners'] as const) ask({ ...(list === 'clusters' && { node }), ...type(list) });
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    for (const { nonce, type_url } of seen) ask({ type_url, response_nonce: nonce });
    await vi.waitFor(async () => expect(server?.counts.pushes).toBe(2));
    const began = performance.now();
    served.serve({ clusters: [cluster('a', '9s'), cluster('b')], listeners: [listener('web', 2, 'web')] });
    await vi.waitFor(() => expect(seen).toHaveLength(4));
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(seen.slice(2).map(({ type_url }) => type_url)).toEqual(
      (['clusters', 'listeners'] as const).map((list) => configurationTypes[list].typeUrl),
    );
  });

  test.each([
    ['a type that is not served', { node, type_url: 'type.googleapis.com/x' }],
    ['a first request without a node', { ...type('clusters') }],
    [
      'a hundred thousand names',
      { node, ...type('endpoints'), resource_names_subscribe: Array.from({ length: 100_000 }, (_, i) => `n${i}`) },
    ],
  ])('end the stream on %s, and no other stream', async (_name, fields) => {
    serveSome();
    await start();
    const [bad, good] = [open(), open()];
    good.ask({ node, ...type('clusters') });
    bad.ask(fields);
    await vi.waitFor(() => expect(bad.errors.map(({ code }) => code)).toEqual([3]), 5_000);
    serveSome('3s');
    await vi.waitFor(() => expect(good.seen.at(-1)?.resources?.map(({ name }) => name)).toEqual(['a']));
  });

  test("take no notice of another stream's nonce", async () => {
    serveSome();
    const refused = vi.fn();
    await start({ refused });
    const { seen, ask, errors } = open();
    ask({ node, ...type('clusters') });
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    ask({ ...type('clusters'), response_nonce: '77', error_detail: { code: 13, message: 'no' } });
    serveSome('3s');
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    expect([refused.mock.calls, errors]).toEqual([[], []]);
  });
});
