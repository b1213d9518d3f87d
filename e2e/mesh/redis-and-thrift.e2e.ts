import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizationPolicy, peerAuthentication, pod, service, topologyText } from '../../src/testbed/mesh-objects.ts';
import { createTestbed, type Testbed, type TestbedOptions } from '../../src/testbed/testbed.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { inPod, redis, redisPort, startRedis, startThrift, thrift, thriftPort } from '../testing/protocol-servers.ts';
import { under } from '../testing/server-mesh.ts';

/** Two pods behind each service, told apart by the label `copy`. */
function copies(app: string, index: number): object[] {
  return [0, 1].map((copy) => {
    const { metadata, ...rest } = pod({ namespace: 'foo', name: `${app}-${copy}`, index: index + copy }) as {
      readonly metadata: object;
    };
    return { ...rest, metadata: { ...metadata, labels: { app, copy: `v${copy}` } } };
  });
}

const headless = service({ namespace: 'foo', name: 'each', index: 23, ports: { thrift: thriftPort } }) as {
  readonly spec: object;
};
const topology = topologyText([
  ...copies('cache', 20),
  service({ namespace: 'foo', name: 'cache', index: 20, ports: { redis: redisPort } }),
  ...copies('numbers', 30),
  service({ namespace: 'foo', name: 'numbers', index: 22, ports: { thrift: thriftPort } }),
  { ...headless, spec: { ...headless.spec, selector: { app: 'numbers' }, clusterIP: 'None', clusterIPs: ['None'] } },
  pod({ namespace: 'foo', name: 'client', index: 11 }),
  pod({ namespace: 'foo', name: 'other', index: 12 }),
  pod({ namespace: 'legacy', name: 'client', index: 13, hasSidecar: false }),
]);

const onlyClient = authorizationPolicy({
  namespace: 'foo',
  name: 'cache',
  app: 'cache',
  action: 'ALLOW',
  rules: [{ from: [{ source: { principals: ['cluster.local/ns/foo/sa/client'] } }] }],
});

const mesh: TestbedOptions = {
  topology,
  policies: { 'strict.yaml': topologyText([peerAuthentication({ namespace: 'foo', mode: 'STRICT' }), onlyClient]) },
  meshConfig: { accessLogFile: '/dev/stdout', accessLogFormat: 'LOGGED %FILTER_CHAIN_NAME% %BYTES_SENT%' },
};

const cache = { from: 'foo/client', to: 'cache.foo' };
const numbers = { from: 'foo/client', to: 'numbers.foo' };
const keys = Array.from({ length: 20 }, (_, i) => `key-${i}`);

async function start(testbed: Testbed): Promise<void> {
  const { sandbox } = testbed;
  await Promise.all([
    ...['foo/cache-0', 'foo/cache-1'].map((server) => startRedis(sandbox, server)),
    ...['foo/numbers-0', 'foo/numbers-1'].map((server) => startThrift(sandbox, server)),
  ]);
}

describeMesh('a STRICT mesh with PILOT_ENABLE_KVSTORE_FILTER and PILOT_ENABLE_RPC_FILTER', () => {
  let testbed: Testbed;
  beforeAll(async () => {
    const env = { PILOT_ENABLE_KVSTORE_FILTER: 'true', PILOT_ENABLE_RPC_FILTER: 'true' };
    testbed = await createTestbed({ ...mesh, env });
    await start(testbed);
  });
  afterAll(() => testbed?.close());

  test('finds each key again that it has shared out over two Redis servers', async () => {
    const { sandbox } = testbed;
    const stdin = (line: (key: string) => string): string => keys.map(line).join('\n');
    await redis(sandbox, { ...cache, stdin: stdin((key) => `SET ${key} value-of-${key}`) });
    const read = await redis(sandbox, { ...cache, stdin: stdin((key) => `GET ${key}`) });
    expect(read.split('\n')).toEqual(keys.map((key) => `value-of-${key}`));
    const sizes = await Promise.all(['foo/cache-0', 'foo/cache-1'].map((it) => inPod(sandbox, it, 'DBSIZE')));
    expect(sizes.map(Number).every((size) => size > 0)).toBe(true);
    expect(sizes.map(Number).reduce((a, b) => a + b)).toBe(keys.length);
  });

  test('lets nobody past mutual TLS and access rules to a Redis server', async () => {
    const { sandbox } = testbed;
    expect(await redis(sandbox, { ...cache, from: 'legacy/client' }, 'GET', 'key-0')).toMatch(/^Error: /);
    expect(await redis(sandbox, { ...cache, from: 'foo/other' }, 'GET', 'key-0')).toBe('upstream failure');
  });

  test('keeps one client from changing the database of others', async () => {
    const { sandbox } = testbed;
    const stdin = ['SELECT 1', ...keys.map((key) => `SET ${key} again`)].join('\n');
    const [refusal, ...answers] = (await redis(sandbox, { ...cache, stdin })).split('\n').filter((line) => line !== '');
    expect([refusal, ...new Set(answers)]).toEqual(['Fault Injected: Error', 'OK']);
    for (const server of ['foo/cache-0', 'foo/cache-1']) {
      expect(await inPod(sandbox, server, 'INFO', 'keyspace')).not.toContain('db1');
    }
  });

  test('answers what is not for a key itself', async () => {
    const { sandbox } = testbed;
    expect(await redis(sandbox, { ...cache, from: 'foo/other' }, 'PING')).toBe('PONG');
    expect(await redis(sandbox, cache, 'AUTH', 'secret')).toContain('no password is set');
    expect(await redis(sandbox, cache, 'SUBSCRIBE', 'news')).toContain('unknown command');
  });

  test('balances the Thrift calls of one connection', async () => {
    const answers = await thrift(testbed.sandbox, numbers, 4);
    expect(answers.toSorted()).toEqual(['numbers-0', 'numbers-0', 'numbers-1', 'numbers-1']);
    expect(await thrift(testbed.sandbox, { ...numbers, from: 'legacy/client' }, 1)).toEqual(['closed']);
  });

  test('sends Thrift calls of a headless service to the pod that was called', async () => {
    for (const copy of [0, 1]) {
      const answers = await thrift(testbed.sandbox, { from: 'foo/client', to: `10.77.0.${30 + copy}` }, 3);
      expect(answers).toEqual(Array.from({ length: 3 }, () => `numbers-${copy}`));
    }
  });

  test('shares calls out by the weights of a route, and commands over a subset', async () => {
    const subsets = (app: string): object => ({
      apiVersion: 'networking.mesh.io/v1',
      kind: 'DestinationRule',
      metadata: { namespace: 'foo', name: app },
      spec: { host: app, subsets: [0, 1].map((copy) => ({ name: `v${copy}`, labels: { copy: `v${copy}` } })) },
    });
    const routed = (app: string, route: readonly object[]): object => ({
      apiVersion: 'networking.mesh.io/v1',
      kind: 'VirtualService',
      metadata: { namespace: 'foo', name: app },
      spec: { hosts: [app], tcp: [{ route }] },
    });
    const to = (host: string, subset: string, weight: number): object => ({ destination: { host, subset }, weight });
    const objects = [
      ...['cache', 'numbers'].map(subsets),
      routed('cache', [to('cache', 'v1', 100)]),
      routed('numbers', [to('numbers', 'v0', 50), to('numbers', 'v1', 50)]),
    ];
    await under(testbed, objects, async () => {
      expect(new Set(await thrift(testbed.sandbox, numbers, 40))).toEqual(new Set(['numbers-0', 'numbers-1']));
      const stdin = keys.map((key) => `SET of-subset-${key} 1`).join('\n');
      expect(new Set((await redis(testbed.sandbox, { ...cache, stdin })).split('\n'))).toEqual(new Set(['OK']));
      expect(await inPod(testbed.sandbox, 'foo/cache-0', 'KEYS', 'of-subset-*')).toBe('');
    });
  });

  // The last one, because Envoy writes what it has logged when it ends.
  test('logs connections to Redis, and calls of Thrift, as the mesh configuration says', async () => {
    const sidecar = testbed.sidecar('foo/other');
    const from = 'foo/other';
    await redis(testbed.sandbox, { ...cache, from, stdin: 'PING\nPING\n' });
    await thrift(testbed.sandbox, { ...numbers, from }, 3);
    const connections = await sidecar.counter('^listener\\.10\\.96\\.0\\.20_6379\\.downstream_cx_total$');
    await sidecar.program.signal('TERM');
    await sidecar.program.exited;
    const lines = (await sidecar.output()).split('\n').filter((line) => /^LOGGED \S+-tcp \d+$/.test(line));
    const ofPort = (port: number): number => lines.filter((line) => line.includes(`_${port}-tcp`)).length;
    expect({ redis: ofPort(redisPort), thrift: ofPort(thriftPort) }).toEqual({ redis: connections, thrift: 3 });
  });
});
