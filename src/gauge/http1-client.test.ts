import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Http1Client } from './http1-client.ts';

const request = { method: 'GET', path: '/', authority: 'a', headers: [['expect', '100-continue']] } as const;

/** Status of each of two requests to a server that sends these bytes for both, piece by piece. */
async function statuses(pieces: readonly string[]): Promise<readonly number[]> {
  const server = createServer((socket) => {
    socket.on('data', async () => {
      for (const piece of pieces) await new Promise((sent) => socket.write(piece, sent));
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new Http1Client(connect((server.address() as AddressInfo).port, '127.0.0.1'));
  const found: number[] = [];
  for (let i = 0; i < 2; i++) found.push((await client.send(request)).status);
  client.close();
  return found;
}

describe('Http1Client', () => {
  const refused = 'HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno';

  test.each([
    ['at once', [`HTTP/1.1 100 Continue\r\n\r\n${refused}`]],
    ['in pieces', ['HTTP/1.1 1', '00 Continue\r\n', '\r\n', refused]],
    ['after another one', [`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${refused}`]],
  ])('takes 100 for no answer: %s', async (_name, pieces) => {
    expect(await statuses(pieces)).toEqual([403, 403]);
  });

  test('takes 101 for an answer', async () => {
    expect(await statuses(['HTTP/1.1 101 Switching Protocols\r\nupgrade: a\r\n\r\n'])).toEqual([101, 101]);
  });
});
