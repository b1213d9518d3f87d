import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { Turns } from '../../xds/turns.ts';
import { createTemporaryAuthority } from '../ca/temporary-authority.ts';
import { beginInTurns } from './begin-in-turns.ts';
import { CertificateSource } from './certificate-provider.ts';
import { listenersOf } from './listeners.ts';
import { startSecureServer } from './secure-server.ts';

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
  serveTalk(server);
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

function serveTalk(on: Server): void {
  const talk = (call: ServerDuplexStream<Buffer, Buffer>): void => {
    begun.push(String(call.metadata.get('name')[0]));
    call.on('data', (bytes: Buffer) => call.write(bytes));
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  };
  on.addService({ talk: method }, { talk });
}

function ask(name: string, over = session): ClientHttp2Stream {
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', name };
  const stream = over.request(headers);
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

test('the listener of meshd begins requests in turns', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'turns-'));
  const ca = createTemporaryAuthority(folder);
  onTestFinished(() => ca.close());
  const { certificateChain, privateKey, rootCertificate } = await ca.issue(
    'spiffe://cluster.local/ns/mesh-system/sa/meshd',
  );
  const certificates = new CertificateSource();
  certificates.setPair({ certificateChain, privateKey, notBeforeMs: 0, notAfterMs: Number.MAX_SAFE_INTEGER });
  certificates.setRoots(rootCertificate);
  const secure = await startSecureServer({
    ...{ address: { host: '127.0.0.1', port: 0 }, certificates, admit: undefined, addServices: serveTalk },
    ...{ maxMessageBytes: 1_000_000, maxStreams: 100, refused: () => undefined, turns },
  });
  const client = connect(`https://127.0.0.1:${secure.port}`, { rejectUnauthorized: false });
  onTestFinished(async () => {
    client.destroy();
    await secure.close(0);
  });
  const stream = ask('a', client);
  const answer = once(stream, 'data');
  await eventually(() => expect(turns.waiting).toHaveLength(1));
  expect(begun).toEqual([]);
  turns.waiting[0]?.();
  await answer;
  expect(begun).toEqual(['a']);
});
