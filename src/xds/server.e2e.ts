import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decodeMessage } from '../envoy/api/decode.ts';
import { encodeMessage } from '../envoy/api/encode.ts';
import { eventually } from '../testing/eventually.ts';
import { contentVersion, type DiscoveryResource } from './resource.ts';
import { secretService, secretTypeUrl } from './secret-service.ts';
import { type DiscoveryServer, startDiscoveryServer } from './server.ts';
import { openUnreadStream } from './testing/unread-stream.ts';

const resource = (name: string, content: string): DiscoveryResource => ({
  name,
  version: contentVersion(content),
  body: encodeMessage('envoy.extensions.transport_sockets.tls.v3.Secret', {
    name,
    generic_secret: { secret: { inline_string: content } },
  }),
});

interface Seen {
  readonly nonce: string;
  readonly resources?: readonly {
    readonly name: string;
    readonly generic_secret: { readonly secret: { readonly inline_string: string } };
  }[];
}

const request = (fields: object): Buffer =>
  Buffer.from(encodeMessage('envoy.service.discovery.v3.DiscoveryRequest', { node: { id: 'n' }, ...fields }));
const response = (bytes: Buffer): Seen => decodeMessage('envoy.service.discovery.v3.DiscoveryResponse', bytes) as Seen;

describe('startDiscoveryServer', () => {
  let folder: string;
  let path: string;
  let server: DiscoveryServer | undefined;
  let client: Client | undefined;
  const service = secretService();
  const asIs = (bytes: Buffer): Buffer => bytes;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'xds-'));
    path = join(folder, 'SDS');
    service.store.replace([]);
  });
  afterEach(async () => {
    client?.close();
    await server?.close();
    await rm(folder, { recursive: true });
  });

  const start = async (observer = {}, staleCheckMs = 0): Promise<void> => {
    server = await startDiscoveryServer(path, [service], observer, { staleCheckMs });
    client = new Client(`unix:${path}`, credentials.createInsecure());
  };
  const openStream = (): { call: ClientDuplexStream<Buffer, Buffer>; seen: Seen[]; errors: { code?: number }[] } => {
    const call = (client as Client).makeBidiStreamRequest(`/${service.name}/StreamSecrets`, asIs, asIs);
    const seen: Seen[] = [];
    const errors: { code?: number }[] = [];
    call.on('data', (bytes: Buffer) => void seen.push(response(bytes)));
    call.on('error', (error: { code?: number }) => void errors.push(error));
    return { call, seen, errors };
  };
  const ask = (...resourceNames: string[]): Buffer =>
    request({ type_url: secretTypeUrl, resource_names: resourceNames });
  const texts = (seen: Seen | undefined): string[] =>
    (seen?.resources ?? []).map(({ name, generic_secret }) => `${name}=${generic_secret.secret.inline_string}`);

  test('serves only its own user, at a socket that only its own user reaches', async () => {
    await start();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test.each([0o755, 0o777, 0o2770])('narrows a folder that was there with mode %o', async (mode) => {
    await chmod(folder, mode);
    await start();
    expect((await stat(folder)).mode & 0o7777).toBe(0o700);
  });

  test('refuses a folder for everybody, binds nothing there, and leaves it as it is', async () => {
    await chmod(folder, 0o1777);
    await expect(startDiscoveryServer(path, [service])).rejects.toThrow(/is a folder for everybody/);
    expect((await stat(folder)).mode & 0o7777).toBe(0o1777);
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('replaces a socket that nobody serves, and refuses one that is served', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(path, resolve));
    await expect(startDiscoveryServer(path, [service])).rejects.toThrow(/another process serves/);
    await new Promise<void>((resolve) => other.close(() => resolve()));
    await start();
    await expect(startDiscoveryServer(path, [service])).rejects.toThrow(/another process serves/);
  });

  test('refuses a file that is no socket', async () => {
    await writeFile(path, 'precious');
    await expect(startDiscoveryServer(path, [service])).rejects.toThrow(/is no socket/);
  });

  test('sends the newest content to a client that never acknowledges, and one response a turn', async () => {
    await start();
    const { call, seen } = openStream();
    call.write(ask('a', 'b'));
    await eventually(() => expect(server?.activeStreams).toBe(1));
    for (const round of ['1', '2', '3']) {
      service.store.replace([resource('a', '0')]);
      service.store.replace([resource('a', round), resource('b', round)]);
      await eventually(() => expect(texts(seen.at(-1))).toEqual([`a=${round}`, `b=${round}`]));
    }
    expect(seen).toHaveLength(3);
    call.cancel();
    await eventually(() => expect(server?.activeStreams).toBe(0));
  });

  test('counts and cleans refusals, once each', async () => {
    const refusals: unknown[] = [];
    service.store.replace([resource('a', 'bad')]);
    await start({ refused: (refusal: unknown) => void refusals.push(refusal) });
    const { call, seen } = openStream();
    call.write(ask('a'));
    await eventually(() => expect(seen).toHaveLength(1));
    const response_nonce = seen[0]?.nonce;
    const error_detail = { code: 13, message: 'goo.gle/debugstr no\nkey' };
    call.write(request({ type_url: secretTypeUrl, resource_names: ['a'], response_nonce, error_detail }));
    await eventually(() => expect(refusals).toMatchObject([{ names: ['a'], nodeId: 'n', message: 'no key' }]));
    expect(seen).toHaveLength(1);
    expect(server?.counts).toEqual({ pushes: 1, refusals: 1 });
  });

  test.each([
    ['bytes that are no request', Buffer.from([0xff, 0xff, 0xff])],
    ['another type', request({ type_url: 'type.googleapis.com/x', resource_names: ['a'] })],
    ['a hundred and one names', request({ resource_names: Array.from({ length: 101 }, (_, i) => `n${i}`) })],
  ])('ends the stream on %s, and goes on serving', async (_name, bytes) => {
    service.store.replace([resource('a', '1')]);
    await start();
    const bad = openStream();
    bad.call.write(bytes);
    await eventually(() => expect(bad.errors.map(({ code }) => code)).toEqual([3]));
    const good = openStream();
    good.call.write(ask('a'));
    await eventually(() => expect(texts(good.seen[0])).toEqual(['a=1']));
    await eventually(() => expect(server?.activeStreams).toBe(1));
  });

  test('answers a fetch with the present resources', async () => {
    service.store.replace([resource('a', '1')]);
    await start();
    const fetch = (...names: string[]): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        (client as Client).makeUnaryRequest(
          `/${service.name}/FetchSecrets`,
          asIs,
          asIs,
          ask(...names),
          (error, bytes) => (error === null ? resolve(bytes as Buffer) : reject(error)),
        );
      });
    expect(texts(response(await fetch('a', 'b')))).toEqual(['a=1']);
    expect(texts(response(await fetch('b')))).toEqual([]);
  });

  test('ends streams that leave a response unanswered, and no others', async () => {
    service.store.replace([resource('a', '1')]);
    const heard: string[] = [];
    await start({ wentStale: () => heard.push('stale'), noLongerStale: () => heard.push('closed') }, 300);
    const [silent, waiting, answering] = [openStream(), openStream(), openStream()];
    silent.call.write(ask('a'));
    waiting.call.write(ask('b'));
    answering.call.on('data', (bytes: Buffer) =>
      answering.call.write(
        request({ type_url: secretTypeUrl, resource_names: ['a'], response_nonce: response(bytes).nonce }),
      ),
    );
    answering.call.write(ask('a'));
    await eventually(() => expect(silent.errors.map(({ code }) => code)).toEqual([14]));
    await eventually(() => expect(heard).toEqual(['stale', 'closed']));
    expect(server?.activeStreams).toBe(2);
    expect([...waiting.errors, ...answering.errors]).toEqual([]);
    service.store.replace([resource('a', '2'), resource('b', '1')]);
    await eventually(() => expect(texts(answering.seen.at(-1))).toEqual(['a=2']));
    await eventually(() => expect(texts(waiting.seen.at(-1))).toEqual(['b=1']));
  });

  test('serves clients that answer while others neither read nor answer, and gives those only the newest content later', async () => {
    const big = (text: string): DiscoveryResource => resource('a', text.padEnd(100_000, '.'));
    service.store.replace([big('0')]);
    await start();
    const good = openStream();
    good.call.write(ask('a'));
    await eventually(() => expect(good.seen).toHaveLength(1));
    const method = `/${service.name}/StreamSecrets`;
    const others = Array.from({ length: 10 }, () => openUnreadStream(path, method, ask('a')));
    await eventually(() => expect(server?.activeStreams).toBe(11));
    for (let i = 1; i <= 200; i++) {
      service.store.replace([big(String(i))]);
      await eventually(() => expect(texts(good.seen.at(-1))[0]).toMatch(new RegExp(`^a=${i}\\.`)), { interval: 1 });
    }
    // Per stream: what was on its way when its window filled, and nothing of what came later.
    expect((server?.counts.pushes ?? 0) - 201).toBeLessThan(10 * 4);
    for (const stream of others) {
      let bytes = Buffer.alloc(0);
      stream.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
      });
      await eventually(() => expect(bytes.includes('200....')).toBe(true));
    }
    for (const stream of others) stream.session?.destroy();
  });

  test('carries a thousand streams, serves each of them every change, and forgets them', async () => {
    service.store.replace([resource('a', '1')]);
    await start();
    const streams = Array.from({ length: 1000 }, openStream);
    for (const { call } of streams) call.write(ask('a'));
    await eventually(() => expect(streams.every(({ seen }) => seen.length === 1)).toBe(true));
    expect(server?.activeStreams).toBe(1000);
    service.store.replace([resource('a', '2')]);
    await eventually(() => expect(streams.every(({ seen }) => texts(seen.at(-1))[0] === 'a=2')).toBe(true));
    for (const { call } of streams) call.cancel();
    await eventually(() => expect(server?.activeStreams).toBe(0));
  });
});
