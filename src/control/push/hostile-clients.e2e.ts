import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { eventually } from '../../testing/eventually.ts';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { ResourceList } from '../../xds/resource-list.ts';
import { ResourceView } from '../../xds/resource-view.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import { setType } from '../../xds/whole-sets.ts';
import type { RawRequest } from '../testing/control-bench.ts';
import { type RawStream, ServingBench, textOf } from '../testing/serving-bench.ts';

const node = { id: 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local' };
const [clusters, endpoints] = [configurationTypes.clusters.typeUrl, configurationTypes.endpoints.typeUrl];
const many = Array.from({ length: 100_000 }, (_, i) => `name-${i}`);
const versions = Object.fromEntries(many.map((name) => [name, '0123456789abcdef']));

/** What a client with a good certificate does to others' harm, and how its stream ends. */
const attacks: readonly (readonly [string, (stream: RawStream) => void, string | undefined])[] = [
  [
    'asks for a type that nobody serves',
    ({ ask }) => ask({ node, type_url: 'type.example.com/Anything' }),
    'INVALID_ARGUMENT',
  ],
  [
    'subscribes to 1,000 secrets',
    ({ ask }) => ask({ node, type_url: secretTypeUrl, resource_names_subscribe: many.slice(0, 1_000) }),
    'INVALID_ARGUMENT',
  ],
  ['sends bytes that are no request', ({ call }) => call.write(Buffer.alloc(1_000, 0xff)), 'INVALID_ARGUMENT'],
  [
    'subscribes to 100,000 names',
    ({ ask }) => ask({ node, type_url: endpoints, resource_names_subscribe: many }),
    'INVALID_ARGUMENT',
  ],
  [
    'says that it has 100,000 versions',
    ({ ask }) => ask({ node, type_url: clusters, initial_resource_versions: versions }),
    'INVALID_ARGUMENT',
  ],
  ['sends a message of 5 MiB', ({ call }) => call.write(Buffer.alloc(5 * 1_048_576)), 'RESOURCE_EXHAUSTED'],
  [
    'says who it is only in its second request',
    ({ ask }) => {
      for (const first of [{}, { node }]) ask({ ...first, type_url: clusters });
    },
    'INVALID_ARGUMENT',
  ],
];

describe('meshd, with a client that means harm', () => {
  let bench: ServingBench;
  let identity: RawRequest['client'];
  let bystander: RawStream;

  beforeAll(async () => {
    bench = await ServingBench.create();
    await bench.put(
      'mesh.yaml',
      objects(namespace, httpbinPod(), httpbinPod('127.0.0.1').replaceAll('httpbin', 'other')),
    );
    await bench.start();
    const isReady = async () => (await fetch(`${bench.control.monitoring}/healthz/ready`)).status;
    await eventually(async () => expect(await isReady()).toBe(200));
    identity = await bench.identity('foo/httpbin');
    bystander = bench.open(await bench.identity('foo/other'));
    bystander.subscribe('listeners', node.id.replace('httpbin', 'other'));
    await eventually(() => expect(bystander.seen).toHaveLength(1));
  });
  afterAll(() => bench.close());

  /** A change reaches the bystander, and no stream is left but its own. */
  async function expectNoHarm(path: string): Promise<void> {
    await bench.put('deny.yaml', denyPath(path));
    await eventually(() => expect(textOf(bystander.seen.at(-1))).toContain(path));
    expect(bystander.ends).toEqual([]);
    await eventually(async () => expect(await bench.metric('meshd_xds_streams')).toBe('1'));
  }

  test.each(attacks)('refuses one that %s, and serves the others', async (name, attack, end) => {
    const stream = bench.open(identity);
    attack(stream);
    await eventually(() => expect(stream.ends).toEqual([end]));
    expect(stream.seen).toEqual([]);
    await expectNoHarm(`/${attacks.findIndex(([known]) => known === name)}`);
  });

  test('refuses a client without a certificate that says nothing, and logs where it is', async () => {
    const { ends } = bench.open(undefined);
    await eventually(() => expect(ends).toEqual(['UNAUTHENTICATED']));
    expect(bench.logged('warn')).toMatch(
      /a configuration stream is refused {"reason":"no client certificate","peer":"127\.0\.0\.1:\d+"}/,
    );
    await expectNoHarm('/silence');
  });

  test('ignores an ACK or NACK of a response that it did not send on this stream', async () => {
    const stream = bench.open(identity);
    stream.ask({ node, type_url: clusters });
    for (const response_nonce of ['999', '2', bystander.seen[0]?.nonce])
      stream.ask({ type_url: endpoints, response_nonce, error_detail: { code: 3, message: 'no' } });
    await eventually(() => expect(stream.seen).toHaveLength(1));
    expect(await bench.metric('meshd_xds_rejects_count.*')).toBeUndefined();
    stream.call.cancel();
    await expectNoHarm('/nonces');
  });

  test("sends nothing of another workload to a client that sends the digests of that workload's resources", async () => {
    const { clusters: first, ...others } = configurationTypes;
    const list = bystander.seen[0]?.resources?.map((each) => ({ ...each, body: new Uint8Array() })) ?? [];
    const { digest } = new ResourceView(new ResourceList(list));
    const versions = Object.fromEntries(Object.values({ first, ...others }).map(({ typeUrl }) => [typeUrl, digest]));
    const stream = bench.open(identity);
    stream.ask({ node, type_url: setType, initial_resource_versions: versions });
    await eventually(() => expect(stream.seen).toHaveLength(1));
    expect(stream.seen[0]?.removed_resources).toEqual(Object.keys(versions).sort());
    stream.ask({ type_url: others.listeners.typeUrl });
    await eventually(() => expect(stream.seen).toHaveLength(2));
    const own = bench.open(identity);
    own.subscribe('listeners');
    await eventually(() => expect(own.seen).toHaveLength(1));
    expect(textOf(stream.seen[1])).toBe(textOf(own.seen[0]));
    for (const { call } of [stream, own]) call.cancel();
    await expectNoHarm('/digests');
  });

  test('ends the stream of a client that subscribes to ever more names, 5,000 per request', async () => {
    const hoarder = bench.open(identity);
    for (let at = 0; at < 15_000; at += 5_000) {
      const names = many.slice(at, at + 5_000);
      hoarder.ask({ ...(at === 0 && { node }), type_url: endpoints, resource_names_subscribe: names });
    }
    await eventually(() => expect(hoarder.ends).toEqual(['INVALID_ARGUMENT']));
    await expectNoHarm('/hoarder');
  });

  test('lets others begin while one client keeps asking for workloads that do not exist', async () => {
    const made = Array.from({ length: 300 }, (_, i) => {
      const stream = bench.open(identity);
      stream.subscribe('listeners', node.id.replace('httpbin', `made-up-${i}`));
      return stream;
    });
    await eventually(() => expect(made.filter(({ ends }) => ends.length > 0).length).toBeGreaterThan(150));
    const newcomer = bench.open(await bench.identity('foo/other'));
    newcomer.subscribe('listeners', node.id.replace('httpbin', 'other'));
    await eventually(() => expect(newcomer.seen).toHaveLength(1));
    for (const { call } of [...made, newcomer]) call.cancel();
    await expectNoHarm('/made-up');
  });

  test('reads 5,000 requests of one client at the limited rate, and compiles nothing for them', async () => {
    const compiled = await bench.metric('meshd_compilations_count');
    const busy = bench.open(await bench.identity('foo/httpbin'));
    const again = { type_url: clusters, resource_names_subscribe: ['*', 'none'] };
    for (let i = 0; i < 5_000; i++) busy.ask({ ...(i === 0 && { node }), ...again });
    await eventually(() => expect(busy.seen.length).toBeGreaterThan(900));
    expect(await bench.metric('meshd_compilations_count')).toBe(compiled);
    await bench.put('deny.yaml', denyPath('/busy'));
    await eventually(() => expect(textOf(bystander.seen.at(-1))).toContain('/busy'));
    expect(busy.seen.length).toBeLessThan(2_000);
    busy.call.cancel();
    await expectNoHarm('/not-busy');
  });

  test('serves the others while one client answers and reads nothing, and while streams are opened and cut', async () => {
    const silent = bench.open(await bench.identity('foo/httpbin'));
    silent.call.pause();
    silent.subscribe('listeners');
    for (let i = 0; i < 50; i++) {
      const cut = bench.open(identity);
      cut.subscribe('clusters');
      cut.call.cancel();
    }
    await bench.put('deny.yaml', denyPath('/silent'));
    await eventually(() => expect(textOf(bystander.seen.at(-1))).toContain('/silent'));
    silent.call.cancel();
    await expectNoHarm('/cut');
  });
});
