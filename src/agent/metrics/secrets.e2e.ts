import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { decodeMessage } from '../../envoy/api/decode.ts';
import { encodeMessage } from '../../envoy/api/encode.ts';
import { eventually } from '../../testing/eventually.ts';
import { contentVersion, type DiscoveryResource } from '../../xds/resource.ts';
import { secretService, secretTypeUrl } from '../../xds/secret-service.ts';
import { type DiscoveryServer, startDiscoveryServer } from '../../xds/server.ts';
import { openUnreadStream } from '../../xds/testing/unread-stream.ts';
import { AgentMetrics } from './metrics.ts';

const secret = (content: string): DiscoveryResource => ({
  name: 'default',
  version: contentVersion(content),
  body: encodeMessage('envoy.extensions.transport_sockets.tls.v3.Secret', {
    name: 'default',
    generic_secret: { secret: { inline_string: content } },
  }),
});

/** A stream that leaves a response without a word is stale after half of it, and ended after all of it. */
const staleCheckMs = 3_000;

describe('AgentMetrics.discovery', () => {
  const service = secretService();
  const metrics = new AgentMetrics();
  let folder: string;
  let server: DiscoveryServer;
  let client: Client;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'metrics-'));
    service.store.replace([secret('one')]);
    server = await startDiscoveryServer(join(folder, 'SDS'), [service], metrics.discovery, { staleCheckMs });
    client = new Client(`unix:${join(folder, 'SDS')}`, credentials.createInsecure());
  });
  afterEach(async () => {
    client.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  const asIs = (bytes: Buffer): Buffer => bytes;
  const open = (): ClientDuplexStream<Buffer, Buffer> => {
    const call = client.makeBidiStreamRequest(`/${service.name}/StreamSecrets`, asIs, asIs);
    call.on('error', () => undefined);
    return call;
  };
  const request = (fields: object): Buffer =>
    Buffer.from(
      encodeMessage('envoy.service.discovery.v3.DiscoveryRequest', {
        type_url: secretTypeUrl,
        resource_names: ['default'],
        ...fields,
      }),
    );
  const figure = async (name: string): Promise<number> => {
    const [, value] = new RegExp(`^${name} (\\d+)$`, 'm').exec(await metrics.text()) ?? [];
    return Number(value);
  };
  const reaches = (name: string, value: number): Promise<void> =>
    eventually(async () => expect(await figure(name)).toBe(value), { interval: 20 });

  test('counts open streams, secrets sent and secrets refused', async () => {
    const calls = [open(), open()];
    const [first] = calls as [ClientDuplexStream<Buffer, Buffer>];
    const received = vi.fn();
    first.on('data', (bytes: Buffer) => {
      received();
      const { nonce } = decodeMessage('envoy.service.discovery.v3.DiscoveryResponse', bytes) as { nonce: string };
      first.write(request({ response_nonce: nonce, error_detail: { code: 13, message: 'no' } }));
    });
    first.write(request({}));
    await reaches('total_active_connections', 2);
    await reaches('total_secret_update_failures', 1);
    expect(await figure('total_pushes')).toBe(1);
    service.store.replace([secret('two')]);
    await eventually(() => expect(received).toHaveBeenCalledTimes(2));
    expect(await figure('total_pushes')).toBe(2);
    for (const call of calls) call.cancel();
    await reaches('total_active_connections', 0);
    expect(await figure('total_push_errors')).toBe(0);
  });

  test('counts a secret that was not sent before its stream ended', async () => {
    const before = await figure('total_pushes');
    service.store.replace([secret('x'.repeat(2_000_000))]);
    const stream = openUnreadStream(join(folder, 'SDS'), `/${service.name}/StreamSecrets`, request({}));
    await reaches('total_pushes', before + 1);
    stream.session?.destroy();
    await reaches('total_push_errors', 1);
    await reaches('total_active_connections', 0);
  });

  test('shows streams that are stale until they are ended, or their clients answer', async () => {
    const [silent, late] = [open(), open()];
    const received = vi.fn();
    late.on('data', received);
    for (const call of [silent, late]) call.write(request({}));
    await reaches('total_stale_connections', 2);
    const [bytes] = received.mock.calls[0] as [Buffer];
    const { nonce } = decodeMessage('envoy.service.discovery.v3.DiscoveryResponse', bytes) as { nonce: string };
    late.write(request({ response_nonce: nonce }));
    await reaches('total_stale_connections', 1);
    await reaches('total_stale_connections', 0);
    expect(await figure('total_active_connections')).toBe(1);
    late.cancel();
    await reaches('total_active_connections', 0);
  });
});
