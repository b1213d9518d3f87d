import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { Turns } from '../../xds/turns.ts';
import { beginInTurns } from './begin-in-turns.ts';
import { listenersOf } from './listeners.ts';

const asIs = (bytes: Buffer): Buffer => bytes;
const path = '/test/Talk';
const method = {
  ...{ path, requestStream: true, responseStream: true },
  ...{ requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs },
};

/** Takes turns when the test says so. */
class HeldTurns extends Turns {
  readonly waiting: (() => void)[] = [];

  override take(act: () => void): boolean {
    this.waiting.push(act);
    return false;
  }
}

let server: Server;
let session: ClientHttp2Session;
let turns: HeldTurns;
let begun: string[];

beforeEach(async () => {
  server = new Server();
  turns = new HeldTurns();
  begun = [];
  const talk = (call: ServerDuplexStream<Buffer, Buffer>): void => {
    begun.push(String(call.metadata.get('name')[0]));
    call.on('data', (bytes: Buffer) => call.write(bytes));
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  };
  server.addService({ talk: method }, { talk });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  beginInTurns(server, turns);
  session = connect(`http://127.0.0.1:${port}`);
});
afterEach(() => {
  session.destroy();
  server.forceShutdown();
});

function ask(name: string): ClientHttp2Stream {
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', name };
  const stream = session.request(headers);
  stream.on('error', () => undefined);
  stream.write(Buffer.from('0000000001aa', 'hex'));
  return stream;
}

test('a request waits for its turn with what it has said, and is answered then', async () => {
  const stream = ask('a');
  stream.end();
  const answer = once(stream, 'data');
  const closed = once(stream, 'close');
  await eventually(() => expect(turns.waiting).toHaveLength(1));
  expect(begun).toEqual([]);
  turns.waiting[0]?.();
  expect((await answer)[0]).toEqual(Buffer.from('0000000001aa', 'hex'));
  stream.resume();
  await closed;
  expect(begun).toEqual(['a']);
});

test.each([constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR])(
  'a client that breaks off with code %i before its turn is not begun, and the others are',
  async (code) => {
    const ends: unknown[] = [];
    // It listens after the turns, so it hears at once.
    for (const listener of listenersOf(server)) {
      listener.on('stream', (stream) => stream.on('close', () => void ends.push(stream.rstCode)));
    }
    const [lost, kept] = [ask('lost'), ask('kept')];
    await eventually(() => expect(turns.waiting).toHaveLength(2));
    lost.close(code);
    await eventually(() => expect(ends).toEqual([code]));
    for (const act of turns.waiting) act();
    await once(kept, 'data');
    expect(begun).toEqual(['kept']);
  },
);
