import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { firstAnswer } from './first-answer.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** What a server that treats its connection like this is heard to answer. */
async function ask(serve: (socket: Socket) => void): Promise<IncomingMessage> {
  const server = createServer((socket) => {
    closers.push(() => socket.destroy());
    socket.on('error', () => undefined).once('data', () => serve(socket));
  }).listen(0, '127.0.0.1');
  closers.push(() => server.close());
  await once(server, 'listening');
  const outgoing = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
  const answer = firstAnswer(outgoing);
  outgoing.end();
  return answer;
}

describe('firstAnswer', () => {
  test('gives the answer after some interim ones', async () => {
    const answer = await ask((socket) =>
      socket.end('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    );
    answer.resume();
    expect(answer.statusCode).toBe(200);
  });

  test.each<[string, (socket: Socket) => void, RegExp]>([
    [
      'switches protocols',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n'),
      /switches protocols/,
    ],
    ['closes', (socket) => socket.destroy(), /ECONNRESET|hang up/],
    ['ends in half a header', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'), /hang up|aborted|Parse Error/],
    ['resets', (socket) => socket.resetAndDestroy(), /ECONNRESET/],
    [
      'sends interim answers without end',
      (socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000)),
      /interim answers/,
    ],
    ['speaks another protocol', (socket) => socket.end('SSH-2.0-noise\r\n'), /Parse Error/],
  ])('rejects when the server %s', async (_, serve, message) => {
    await expect(ask(serve)).rejects.toThrow(message);
  });
});
