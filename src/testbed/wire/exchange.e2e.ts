import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { expect, test } from 'vitest';
import { exchange } from './exchange.ts';
import { http1Request } from './http1.ts';
import { http2Request } from './http2.ts';

const body = 'x'.repeat(40_000);
const statuses = [200, 204, 403, 421, 503];

async function withServer(server: Server, check: (port: number) => Promise<void>): Promise<void> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await check((server.address() as AddressInfo).port);
  server.close();
}

test.each([1, 2] as const)(
  'reads status and body of every answer over HTTP/%i, Huffman coded or not, after an interim one',
  async (version) => {
    const answer = (status: number, response: ServerResponse | Http2ServerResponse): void => {
      const text = status === 204 ? '' : body;
      response.statusCode = status;
      response.setHeader('content-length', text.length);
      response.end(text);
    };
    const server =
      version === 1
        ? createHttpServer((request, response) => answer(Number(request.url?.slice(1)), response))
        : createHttp2Server((request, response) => answer(Number(request.url.slice(1)), response));
    await withServer(server, async (port) => {
      for (const status of statuses) {
        const bytes =
          version === 1
            ? http1Request({
                target: `/${status}`,
                headers: [
                  ['Host', 'h'],
                  ['Expect', '100-continue'],
                ],
              })
            : http2Request([
                [':method', 'GET'],
                [':scheme', 'http'],
                [':path', `/${status}`],
                [':authority', 'h'],
                ['expect', '100-continue'],
                ['x-long', 'y'.repeat(300)],
              ]);
        const seen = await exchange({ host: '127.0.0.1', port, version, bytes: bytes.toString('base64') });
        expect(seen).toEqual({ status: String(status), body: status === 204 ? '' : body });
      }
    });
  },
);

test('distinguishes a refused stream from a closed connection', async () => {
  const http2 = createHttp2Server((request, response) => {
    if (request.url === '/reset') request.stream.close(2);
    else response.stream.session?.destroy();
  });
  await withServer(http2, async (port) => {
    const ask = (path: string) =>
      exchange({
        host: '127.0.0.1',
        port,
        version: 2,
        bytes: http2Request([
          [':method', 'GET'],
          [':scheme', 'http'],
          [':path', path],
          [':authority', 'h'],
        ]).toString('base64'),
      });
    expect(await ask('/reset')).toMatchObject({ status: 'reset', body: 'RST_STREAM 2' });
    expect(await ask('/gone')).toMatchObject({ status: 'closed' });
  });
});
