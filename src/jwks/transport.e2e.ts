import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
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
    ['switches protocols', (request) => switchProtocols(request.socket), 'unreachable'],
    ['never comes for interim ones', (request) => flood(request.socket), 'unreachable'],
    ['ends in half a header', (request) => request.socket.end('HTTP/1.1 200 OK\r\ncontent-le'), 'unreachable'],
    ['is an error page', (_request, response) => response.writeHead(500).end('secret'), 'status-refused'],
  ])('that %s is no key set, and leaves no connection behind', async (_name, answer, code) => {
    const server = await bench.serve(answer);
    const { fault } = await bench.get(`http://keys.test:${server.port}/`, {
      timings: { fetchTimeoutMs: 400, retries: 0 },
    });
    expect(fault).toMatchObject({ code, message: expect.not.stringContaining('secret') });
    await eventually(() => expect(server.open).toBe(0));
  });

  test('that is reset, or closed, after any of its bytes is no key set', async () => {
    const whole = `HTTP/1.1 200 OK\r\ncontent-length: ${bench.body.length}\r\nx-a: b\r\n\r\n${bench.body}`;
    const outcomes = await Promise.all(
      Array.from({ length: 2 * whole.length }, async (_, i) => {
        const part = whole.slice(0, i >> 1);
        const server = createTcpServer((socket) => {
          socket.on('error', () => undefined);
          socket.write(part, () => (i % 2 === 0 ? socket.resetAndDestroy() : socket.destroy()));
        }).listen(0, '127.0.0.1');
        await once(server, 'listening');
        const { fault } = await bench.get(`http://keys.test:${(server.address() as AddressInfo).port}/`);
        server.close();
        return fault?.code;
      }),
    );
    expect(new Set(outcomes)).toEqual(new Set(['unreachable']));
  });

  test('may have trailers', async () => {
    const server = await bench.serve((_request, response) => {
      response.writeHead(200, { trailer: 'x-end' });
      response.write(bench.body);
      response.addTrailers({ 'x-end': 'a' });
      response.end();
    });
    expect(await bench.kids(`http://keys.test:${server.port}/`)).toEqual(['a']);
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

function switchProtocols(socket: Socket): void {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
}

function flood(socket: Socket): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
  };
  socket.on('drain', more).on('error', () => undefined);
  more();
}

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
