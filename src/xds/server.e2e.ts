import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { contentVersion, type DiscoveryResource } from './resource.ts';
import { secretService, secretTypeUrl } from './secret-service.ts';
import { type DiscoveryServer, startDiscoveryServer } from './server.ts';
import { decodeWire, encodeWire } from './wire.ts';

const resource = (name: string, content: string): DiscoveryResource => ({
  name,
  version: contentVersion(content),
  body: Buffer.from(`${name}=${content}`),
});

interface Seen {
  readonly versionInfo: string;
  readonly nonce: string;
  readonly resources: readonly { readonly value: Buffer }[];
}

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

  const start = async (observer = {}): Promise<void> => {
    server = await startDiscoveryServer(path, [service], observer);
    client = new Client(`unix:${path}`, credentials.createInsecure());
  };
  const openStream = (): { call: ClientDuplexStream<Buffer, Buffer>; seen: Seen[]; errors: { code?: number }[] } => {
    const call = (client as Client).makeBidiStreamRequest(`/${service.name}/StreamSecrets`, asIs, asIs);
    const seen: Seen[] = [];
    const errors: { code?: number }[] = [];
    call.on('data', (bytes: Buffer) => void seen.push(decodeWire('DiscoveryResponse', bytes) as unknown as Seen));
    call.on('error', (error: { code?: number }) => void errors.push(error));
    return { call, seen, errors };
  };
  const ask = (...resourceNames: string[]): Buffer =>
    encodeWire('DiscoveryRequest', { node: { id: 'n' }, typeUrl: secretTypeUrl, resourceNames });
  const texts = (response: Seen | undefined): string[] =>
    (response?.resources ?? []).map(({ value }) => Buffer.from(value).toString());

  test('serves only its own user, at a socket that only its own user reaches', async () => {
    await start();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
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
    await vi.waitFor(() => expect(server?.activeStreams).toBe(1));
    for (const round of ['1', '2', '3']) {
      service.store.replace([resource('a', '0')]);
      service.store.replace([resource('a', round), resource('b', round)]);
      await vi.waitFor(() => expect(texts(seen.at(-1))).toEqual([`a=${round}`, `b=${round}`]));
    }
    expect(seen).toHaveLength(3);
    call.cancel();
    await vi.waitFor(() => expect(server?.activeStreams).toBe(0));
  });

  test('counts and cleans refusals, once each', async () => {
    const refusals: unknown[] = [];
    service.store.replace([resource('a', 'bad')]);
    await start({ refused: (refusal: unknown) => void refusals.push(refusal) });
    const { call, seen } = openStream();
    call.write(ask('a'));
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    const responseNonce = seen[0]?.nonce;
    const errorDetail = { code: 13, message: 'goo.gle/debugstr no\nkey' };
    call.write(
      encodeWire('DiscoveryRequest', { typeUrl: secretTypeUrl, resourceNames: ['a'], responseNonce, errorDetail }),
    );
    await vi.waitFor(() => expect(refusals).toMatchObject([{ names: ['a'], nodeId: 'n', message: 'no key' }]));
    expect(seen).toHaveLength(1);
  });

  test.each([
    ['bytes that are no request', Buffer.from([0xff, 0xff, 0xff])],
    ['another type', encodeWire('DiscoveryRequest', { typeUrl: 'type.googleapis.com/x', resourceNames: ['a'] })],
    ['a hundred and one names', encodeWire('DiscoveryRequest', { resourceNames: Array.from({ length: 101 }, String) })],
  ])('ends the stream on %s, and goes on serving', async (_name, bytes) => {
    service.store.replace([resource('a', '1')]);
    await start();
    const bad = openStream();
    bad.call.write(bytes);
    await vi.waitFor(() => expect(bad.errors.map(({ code }) => code)).toEqual([3]));
    const good = openStream();
    good.call.write(ask('a'));
    await vi.waitFor(() => expect(texts(good.seen[0])).toEqual(['a=1']));
    await vi.waitFor(() => expect(server?.activeStreams).toBe(1));
  });

  test('answers a fetch with what is there', async () => {
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
    expect(texts(decodeWire('DiscoveryResponse', await fetch('a', 'b')) as unknown as Seen)).toEqual(['a=1']);
    expect(texts(decodeWire('DiscoveryResponse', await fetch('b')) as unknown as Seen)).toEqual([]);
  });

  test('carries a thousand streams and forgets them', async () => {
    service.store.replace([resource('a', '1')]);
    await start();
    const streams = Array.from({ length: 1000 }, openStream);
    for (const { call } of streams) call.write(ask('a'));
    await vi.waitFor(() => expect(streams.every(({ seen }) => seen.length === 1)).toBe(true), 10_000);
    expect(server?.activeStreams).toBe(1000);
    for (const { call } of streams) call.cancel();
    await vi.waitFor(() => expect(server?.activeStreams).toBe(0), 10_000);
  });
});
