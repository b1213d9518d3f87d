import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AdminClient, createAdminClient } from '../../envoy/admin.ts';
import { decodeMessage } from '../../envoy/api/decode.ts';
import { encodeMessage } from '../../envoy/api/encode.ts';
import { type EnvoyProcess, findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { aggregatedService, type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import { contentVersion } from '../../xds/resource.ts';
import { type DiscoveryServer, startDiscoveryServer } from '../../xds/server.ts';
import { mostProbes } from '../../xds/suspects.ts';
import { adsBootstrap, listener, route } from '../../xds/testing/small-mesh.ts';
import { plainMesh } from '../testing/plain-mesh.ts';
import { proxyOf } from './admission.ts';
import { Fleet } from './fleet.ts';
import { SnapshotReceiver } from './mesh-snapshot.ts';
import type { ListIds, PlainList } from './plain-snapshot.ts';

type Message = Readonly<Record<string, unknown>>;

/** An address that no machine has: Envoy refuses its listener. */
const nowhere = '192.0.2.1';

interface RunningEnvoy {
  readonly process: EnvoyProcess;
  readonly admin: AdminClient;
}

describe('two Envoys of one version', () => {
  let folder: string;
  let fleet: Fleet;
  let server: DiscoveryServer;
  let ports: readonly number[];
  /** Responses with listeners. */
  let pushes: number;
  let faulty: string[];
  const envoys = new Map<string, RunningEnvoy>();

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'held-'));
    ports = await freePorts(6);
    pushes = 0;
    faulty = [];
    fleet = new Fleet({
      ...{ limits: { count: 100, bytes: 1e6 }, stepTimeoutMs: 5_000 },
      faulty: ({ proxy }) => void faulty.push(proxy.name),
    });
    const service = aggregatedService((_call, { node }) => {
      const { name = '', namespace = '' } = proxyOf(node?.id ?? '') ?? {};
      const proxy = { name, namespace, serviceAccount: name };
      return fleet.open({ proxy, identity: name, envoyVersion: node?.envoyVersion ?? '' });
    });
    server = await startDiscoveryServer(join(folder, 'XDS'), [service], {
      pushed: ({ typeUrl }) => {
        if (typeUrl === configurationTypes.listeners.typeUrl) pushes++;
      },
    });
  });
  afterEach(async () => {
    for (const name of [...envoys.keys()]) await stop(name);
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** Listeners that both have, and those of each. */
  const serve = (shared: readonly Message[], web: readonly Message[], isUrgent = false): void => {
    const lists: PlainList[] = [];
    const routes = [route('web', 'one'), route('denied', 'one')];
    const idOf = (list: ConfigurationList, messages: readonly Message[]): string => {
      const resources = messages.map((json) => {
        const body = encodeMessage(configurationTypes[list].typeUrl.slice('type.googleapis.com/'.length), json);
        return { name: String(json.name), version: contentVersion(Buffer.from(body).toString('latin1')), body };
      });
      const id = contentVersion(list, ...resources.flatMap(({ name, version }) => [name, version]));
      lists.push({ id, list, resources });
      return id;
    };
    const ids = (listeners: readonly Message[], routes: readonly Message[] = []): ListIds => {
      const none = {
        clusters: idOf('clusters', []),
        endpoints: idOf('endpoints', []),
        routes: idOf('routes', routes),
      };
      return { ...none, listeners: idOf('listeners', listeners) };
    };
    const proxies = ['web', 'api'].map((name) => ({
      ...{ namespace: 'foo', name, serviceAccount: name, addresses: [], isUrgent, isFrozen: false },
      ...{ shared: ids(shared, routes), own: ids(name === 'web' ? web : []) },
    }));
    fleet.update(new SnapshotReceiver(fleet.snapshot).receive(plainMesh(lists, proxies)));
  };
  const bringUp = async (name: string): Promise<RunningEnvoy> => {
    const adminPort = ports[name === 'web' ? 0 : 1] ?? 0;
    const bootstrap = adsBootstrap('DELTA_GRPC', adminPort, join(folder, 'XDS'));
    const node = { id: `sidecar~127.0.0.1~${name}.foo~foo.svc.cluster.local`, cluster: name };
    await writeFile(join(folder, `${name}.json`), JSON.stringify({ ...bootstrap, node }));
    const process = await spawnEnvoy({
      binary: findEnvoy({ env: globalThis.process.env, repositoryRoot: resolve(import.meta.dirname, '../../..') }),
      args: ['-c', join(folder, `${name}.json`), '--disable-hot-restart', '-l', 'off', '--concurrency', '1'],
      output: 'ignore',
    });
    const envoy = { process, admin: createAdminClient({ port: adminPort }) };
    envoys.set(name, envoy);
    return envoy;
  };
  const stop = async (name: string): Promise<void> => {
    envoys.get(name)?.process.signal('SIGKILL');
    await envoys.get(name)?.process.exited;
    envoys.delete(name);
  };
  /** `all:15001 in:15002`, the listeners that are open. */
  const listening = async ({ admin }: RunningEnvoy): Promise<string> => {
    const { body } = await admin.get('/listeners?format=json');
    const { listener_statuses = [] } = JSON.parse(body) as {
      listener_statuses?: { name: string; local_address: { socket_address: { port_value: number } } }[];
    };
    const each = listener_statuses.map((it) => `${it.name}:${it.local_address.socket_address.port_value}`);
    return each.sort().join(' ');
  };
  const until = (envoy: RunningEnvoy, expected: string): Promise<void> =>
    eventually(async () => expect(await listening(envoy)).toBe(expected), { interval: 20 });
  const rejected = async ({ admin }: RunningEnvoy): Promise<string> =>
    (await admin.get('/stats?filter=^listener_manager.lds.update_rejected$')).body.trim();

  test('get the previous version of a listener that both refuse, also after a restart, and then its next version', async () => {
    const [, , all = 0, next = 0, beside = 0] = ports;
    serve([listener('all', all, 'web')], []);
    const [web, api] = [await bringUp('web'), await bringUp('api')];
    for (const envoy of [web, api]) await until(envoy, `all:${all}`);
    pushes = 0;
    serve([listener('all', all, 'web', nowhere), listener('beside', beside, 'web')], []);
    for (const envoy of [web, api]) await until(envoy, `all:${all} beside:${beside}`);
    await eventually(() => expect(pushes).toBeGreaterThanOrEqual(4));
    const refused = (): readonly number[] => [...fleet.streams].map((stream) => fleet.recordOf(stream).refused.size);
    await eventually(() => expect(refused()).toEqual([1, 1]));
    expect(pushes).toBeLessThanOrEqual(2 * (1 + mostProbes));
    // A new one is not sent what others of its version refuse.
    await stop('api');
    const again = await bringUp('api');
    await until(again, `all:${all} beside:${beside}`);
    expect(await rejected(again)).toMatch(/: 0$/);
    serve([listener('all', next, 'web'), listener('beside', beside, 'web')], []);
    for (const envoy of [web, again]) await until(envoy, `all:${next} beside:${beside}`);
    expect(faulty).toEqual([]);
  });

  test('get at their next start the previous version of a listener of their own that they refuse, unless it may remove access', async () => {
    const [, , own = 0, beside = 0] = ports;
    const ownOnes = (host?: string) => [listener('in', own, 'web', host), listener('beside', beside, 'web')];
    serve([], ownOnes());
    const web = await bringUp('web');
    await until(web, `beside:${beside} in:${own}`);
    serve([], ownOnes(nowhere));
    await eventually(async () => expect(await rejected(web)).not.toMatch(/: 0$/));
    await eventually(() =>
      expect([...fleet.streams].map((stream) => fleet.recordOf(stream).refused.size)).toEqual([1]),
    );
    await stop('web');
    const again = await bringUp('web');
    await until(again, `beside:${beside} in:${own}`);
    expect(await rejected(again)).toMatch(/: 0$/);
    // The same once more, and it takes access away: what was open before may not come back.
    serve([], ownOnes());
    await until(again, `beside:${beside} in:${own}`);
    serve([], [listener('in', own, 'denied', nowhere), listener('beside', beside, 'web')], true);
    await eventually(async () => expect(await rejected(again)).not.toMatch(/: 0$/));
    await stop('web');
    const last = await bringUp('web');
    await until(last, `beside:${beside}`);
    expect(await rejected(last)).not.toMatch(/: 0$/);
  });

  test('do not wait for a client that refuses everything, which is marked', async () => {
    const all = ports[2] ?? 0;
    const many = (text: string) => Array.from({ length: 8 }, (_, i) => listener(`in-${i}`, 1 + i, text, nowhere));
    serve([listener('all', all, 'web')], []);
    const api = await bringUp('api');
    await until(api, `all:${all}`);
    const client = new Client(`unix:${join(folder, 'XDS')}`, credentials.createInsecure());
    const asIs = (bytes: Buffer): Buffer => bytes;
    const path = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';
    const call: ClientDuplexStream<Buffer, Buffer> = client.makeBidiStreamRequest(path, asIs, asIs);
    const ask = (fields: object): void =>
      void call.write(Buffer.from(encodeMessage('envoy.service.discovery.v3.DeltaDiscoveryRequest', fields)));
    call.on('error', () => undefined);
    call.on('data', (bytes: Buffer) => {
      const response = decodeMessage('envoy.service.discovery.v3.DeltaDiscoveryResponse', bytes);
      const { type_url, nonce } = response as { readonly type_url: string; readonly nonce: string };
      ask({ type_url, response_nonce: nonce, error_detail: { code: 13, message: 'never' } });
    });
    for (const [i, list] of (['clusters', 'listeners'] as const).entries()) {
      const node = { id: 'sidecar~127.0.0.1~web.foo~foo.svc.cluster.local' };
      ask({ ...(i === 0 && { node }), type_url: configurationTypes[list].typeUrl });
    }
    let longestMs = 0;
    for (const [round, port] of ports.slice(3).entries()) {
      const began = performance.now();
      serve([listener('all', port, 'web')], many(`round-${round}`));
      await until(api, `all:${port}`);
      longestMs = Math.max(longestMs, performance.now() - began);
    }
    expect(longestMs).toBeLessThan(5_000);
    await eventually(() => expect(faulty).toEqual(['web']));
    const marks = [...fleet.streams].map((stream) => [stream.owner.proxy.name, fleet.recordOf(stream).isFaulty]);
    expect(marks.sort()).toEqual([
      ['api', false],
      ['web', true],
    ]);
    call.cancel();
    client.close();
  });
});
