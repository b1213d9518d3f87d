import { once } from 'node:events';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createMeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { startTestServer, type TestServer } from '../../testing/http-server.ts';
import { fetchFromPod, type PodAnswer, type PodRequest } from './pod-request.ts';

describe('fetchFromPod', () => {
  const ask = async ({ port }: TestServer, changes: Partial<PodRequest> = {}): Promise<PodAnswer> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return fetchFromPod({
      ...{ socket, isTls: false, host: 'app.example:80', path: '/ready?x', headers: { 'x-probe': 'a' } },
      ...{ maxBytes: 100, onLonger: 'refuse', signal: AbortSignal.timeout(5_000) },
      ...changes,
    });
  };
  const serving = async (
    answer: RequestListener,
    act: (server: TestServer) => Promise<void>,
    ...options: Parameters<typeof startTestServer> extends [unknown, ...infer Rest] ? Rest : never
  ): Promise<void> => {
    const server = await startTestServer(answer, ...options);
    await act(server);
    // Each answer, and each failure, closes its connection.
    await eventually(() => expect(server.open).toBe(0));
    await server.close();
  };

  test('sends the request that it is given, and returns the answer', async () => {
    await serving(
      (_, response) => response.writeHead(503, { 'x-why': 'b' }).end('x'.repeat(100)),
      async (server) => {
        const { status, headers, body } = await ask(server);
        expect([status, headers['x-why'], body.toString()]).toEqual([503, 'b', 'x'.repeat(100)]);
        const { url, headers: sent } = server.requests[0] ?? { url: '', headers: {} as IncomingHttpHeaders };
        expect([url, sent.host, sent['x-probe'], sent.connection]).toEqual([
          '/ready?x',
          'app.example:80',
          'a',
          'close',
        ]);
      },
    );
  });

  test('of a longer answer gives the beginning, or says that it is too long', async () => {
    await serving(
      (_, response) => void response.writeHead(200).write('x'.repeat(101)),
      async (server) => {
        const { status, body } = await ask(server, { onLonger: 'cut' });
        expect([status, body.toString()]).toEqual([200, 'x'.repeat(100)]);
        await expect(ask(server)).rejects.toThrow('the answer is longer than 100 bytes');
      },
    );
  });

  test('does not look whose certificate it is, and names the host but no address', async () => {
    const names: unknown[] = [];
    const certificate = await (await createMeshCa()).issue('', { uris: [], dnsNames: ['other.example'] });
    const answer: RequestListener = ({ socket }, response) => {
      names.push((socket as typeof socket & { readonly servername?: unknown }).servername);
      response.end('ok');
    };
    await serving(
      answer,
      async (server) => {
        for (const host of ['app.example:443', '127.0.0.1:443', '[::1]:443']) {
          expect((await ask(server, { isTls: true, host })).body.toString()).toBe('ok');
        }
      },
      { certificate },
    );
    expect(names).toEqual(['app.example', false, false]);
  });

  test('fails with its signal, and with a connection that ends', async () => {
    const stop = new AbortController();
    await serving(
      () => stop.abort(new Error('late')),
      async (server) => void (await expect(ask(server, { signal: stop.signal })).rejects.toThrow(/abort/)),
    );
    await serving(
      ({ socket }) => socket.destroy(),
      async (server) => void (await expect(ask(server)).rejects.toThrow(/hang up|ECONNRESET/)),
    );
  });
});
