import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { maxAnswerBytes } from './download.ts';
import { NetworkBench } from './testing/network-bench.ts';

let bench: NetworkBench;

beforeAll(async () => {
  bench = await NetworkBench.create();
});

afterEach(async () => {
  await bench.clear();
});

describe('an answer', () => {
  test.each<[string, RequestListener, string]>([
    ['never begins', () => undefined, 'timed-out'],
    ['stays at its head', (_request, response) => response.flushHeaders(), 'timed-out'],
    ['drips', (_request, response) => drip(response), 'timed-out'],
    ['says that it is huge', (_request, response) => declare(response, maxAnswerBytes + 1), 'answer-too-large'],
    ['has no end', (_request, response) => pour(response), 'answer-too-large'],
    ['is one byte too long', (_request, response) => response.end(' '.repeat(maxAnswerBytes + 1)), 'answer-too-large'],
    ['ends early', (_request, response) => cutShort(response), 'unreachable'],
    ['is cut off', (request) => request.socket.destroy(), 'unreachable'],
    ['is compressed', (_request, response) => sendCompressed(response), 'answer-invalid'],
    ['is not UTF-8', (_request, response) => response.end(Buffer.from('{"keys":"\xff"}', 'latin1')), 'answer-invalid'],
    ['is empty', (_request, response) => response.end(), 'answer-invalid'],
    ['is a page', (_request, response) => response.end('<html>secret</html>'), 'answer-invalid'],
    ['is an error page', (_request, response) => response.writeHead(500).end('secret'), 'status-refused'],
  ])('that %s is no key set, and leaves no connection behind', async (_name, answer, code) => {
    const server = await bench.serve(answer);
    const { fault } = await bench.get(`http://keys.test:${server.port}/`, {
      timings: { fetchTimeoutMs: 400, retries: 0 },
    });
    expect(fault).toMatchObject({ code, message: expect.not.stringContaining('secret') });
    await vi.waitFor(() => expect(server.open).toBe(0));
  });

  test('may have one mebibyte', async () => {
    const server = await bench.serve((_request, response) => response.end(bench.body.padEnd(maxAnswerBytes)));
    expect(await bench.kids(`http://keys.test:${server.port}/`)).toEqual(['a']);
  });

  test('that is not HTTP, or no answer at all, is unreachable', async () => {
    const noise = createTcpServer((socket) =>
      socket
        .resume()
        .on('error', () => undefined)
        .end('SSH-2.0-noise\r\n'),
    ).listen(0, '127.0.0.1');
    await once(noise, 'listening');
    const { port } = noise.address() as AddressInfo;
    expect(await bench.get(`http://keys.test:${port}/`)).toMatchObject({ fault: { code: 'unreachable' } });
    noise.close();
    await once(noise, 'close');
    expect(await bench.get(`http://keys.test:${port}/`)).toMatchObject({
      fault: { code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') },
    });
  });
});

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

function pour(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
  };
  response.on('drain', more);
  more();
}

function declare(response: ServerResponse, length: number): void {
  response.writeHead(200, { 'content-length': length }).flushHeaders();
}

function cutShort(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 1000 });
  response.write('{"keys":[', () => response.destroy());
}

function sendCompressed(response: ServerResponse): void {
  response.setHeader('content-encoding', 'gzip');
  response.end(gzipSync(bench.body));
}
