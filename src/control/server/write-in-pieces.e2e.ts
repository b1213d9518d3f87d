import { Client, credentials, Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { listenersOf } from './listeners.ts';
import { writeInPieces } from './write-in-pieces.ts';

const asIs = (bytes: Buffer): Buffer => bytes;
const method = {
  ...{ path: '/test/Talk', requestStream: true, responseStream: true },
  ...{ requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs },
};

test('large messages are sent in pieces, and arrive whole and in order before the status', async () => {
  const messages = [3_000_000, 5, 1_000_000].map((size, i) => Buffer.alloc(size, i + 1));
  const server = new Server();
  server.addService(
    { talk: method },
    {
      talk: (call: ServerDuplexStream<Buffer, Buffer>) => {
        for (const message of messages) call.write(message);
        call.end();
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  writeInPieces(server);
  const pieces: number[] = [];
  for (const listener of listenersOf(server)) {
    listener.prependListener('stream', (stream) => {
      const write = stream._write.bind(stream);
      stream._write = (chunk: Buffer, encoding, done) => {
        pieces.push(chunk.length);
        write(chunk, encoding, done);
      };
    });
  }
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  try {
    const got: Buffer[] = [];
    const ended = new Promise<number>((resolve) => {
      const call = client.makeBidiStreamRequest(method.path, asIs, asIs);
      call.on('data', (bytes: Buffer) => got.push(bytes));
      call.on('status', ({ code }) => resolve(code));
      call.end();
    });
    expect(await ended).toBe(0);
    expect(got.map((message, i) => message.equals(messages[i] ?? Buffer.alloc(0)))).toEqual([true, true, true]);
    expect(Math.max(...pieces)).toBe(65_536);
    expect(pieces.length).toBeGreaterThan(60);
  } finally {
    client.close();
    server.forceShutdown();
  }
});
