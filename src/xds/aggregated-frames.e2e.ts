import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { decodeMessage } from '../envoy/api/decode.ts';
import { encodeMessage } from '../envoy/api/encode.ts';
import { eventually } from '../testing/eventually.ts';
import { configurationTypes } from './aggregated-service.ts';
import { ServedSocket } from './testing/served-socket.ts';
import { cluster, endpoints, listener, route } from './testing/small-mesh.ts';

const socket = new ServedSocket();

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
    client ??= new Client(`unix:${socket.path}`, credentials.createInsecure());
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
    socket.served.serve({
      clusters: [cluster('a', timeout), cluster('b')],
      endpoints: [endpoints('a', 1), endpoints('b', 1)],
      listeners: [listener('web', 1, 'web')],
      routes: [route('web', 'a')],
    });

  test('have nonces that never come twice on a stream, whatever the type', async () => {
    serveSome();
    await socket.start();
    const { seen, ask } = open();
    ask({ node, ...type('clusters') });
    ask({ ...type('endpoints'), resource_names_subscribe: ['a', 'b'] });
    ask({ ...type('listeners') });
    await eventually(() => expect(seen).toHaveLength(3));
    for (const [i, timeout] of ['2s', '1s', '2s', '1s'].entries()) {
      serveSome(timeout);
      // The changed cluster, and its endpoints again.
      await eventually(() => expect(seen).toHaveLength(5 + 2 * i));
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
    await socket.start();
    const first = open();
    first.ask({ node, ...type('clusters') });
    first.ask({ ...type('endpoints'), resource_names_subscribe: ['a', 'b'] });
    await eventually(() => expect(first.seen).toHaveLength(2));
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
    await eventually(() => expect(again.seen).toHaveLength(1));
    expect(again.seen[0]).toMatchObject({ removed_resources: ['absent'] });
    expect(again.seen[0]?.resources ?? []).toEqual([]);
  });

  test('wait with listeners for the word about clusters, but not for ever', async () => {
    serveSome();
    await socket.start({}, 300);
    const { seen, ask } = open();
    for (const list of ['clusters', 'listeners'] as const) ask({ ...(list === 'clusters' && { node }), ...type(list) });
    await eventually(() => expect(seen).toHaveLength(2));
    for (const { nonce, type_url } of seen) ask({ type_url, response_nonce: nonce });
    await eventually(async () => expect(socket.server?.counts.pushes).toBe(2));
    const began = performance.now();
    socket.served.serve({ clusters: [cluster('a', '9s'), cluster('b')], listeners: [listener('web', 2, 'web')] });
    await eventually(() => expect(seen).toHaveLength(4));
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
    await socket.start();
    const [bad, good] = [open(), open()];
    good.ask({ node, ...type('clusters') });
    bad.ask(fields);
    await eventually(() => expect(bad.errors.map(({ code }) => code)).toEqual([3]));
    serveSome('3s');
    await eventually(() => expect(good.seen.at(-1)?.resources?.map(({ name }) => name)).toEqual(['a']));
  });

  test("take no notice of another stream's nonce", async () => {
    serveSome();
    const refused = vi.fn();
    await socket.start({ refused });
    const { seen, ask, errors } = open();
    ask({ node, ...type('clusters') });
    await eventually(() => expect(seen).toHaveLength(1));
    ask({ ...type('clusters'), response_nonce: '77', error_detail: { code: 13, message: 'no' } });
    serveSome('3s');
    await eventually(() => expect(seen).toHaveLength(2));
    expect([refused.mock.calls, errors]).toEqual([[], []]);
  });
});
