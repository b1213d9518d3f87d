import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import {
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  ServerListenerBuilder,
} from '@grpc/grpc-js';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { createTemporaryAuthority, type WorkloadCertificate } from '../ca/temporary-authority.ts';
import { listenersOf } from './listeners.ts';
import { shownCertificate } from './shown-certificate.ts';

const asIs = (bytes: Buffer): Buffer => bytes;
const form = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs };
const path = '/test/Talk';

let pair: WorkloadCertificate;
let calls: ServerInterceptingCallInterface[];
let sockets: TLSSocket[];
let port: number;

beforeEach(async () => {
  [calls, sockets] = [[], []];
  const ca = createTemporaryAuthority(await mkdtemp(join(tmpdir(), 'shown-')));
  onTestFinished(() => ca.close());
  pair = await ca.issue('spiffe://cluster.local/ns/foo/sa/httpbin');
  const keep = (call: ServerInterceptingCallInterface): ServerInterceptingCall => {
    const listener = new ServerListenerBuilder().withOnReceiveMetadata(() => void calls.push(call)).build();
    return new ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
  const server = new Server({ interceptors: [(_method, call) => keep(call)] });
  server.addService({ talk: { path, requestStream: true, responseStream: true, ...form } }, { talk: () => undefined });
  const keys = { cert_chain: Buffer.from(pair.certificateChain), private_key: Buffer.from(pair.privateKey) };
  const credentials = ServerCredentials.createSsl(Buffer.from(pair.rootCertificate), [keys], true);
  port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  onTestFinished(() => server.forceShutdown());
  for (const listener of listenersOf(server)) listener.on('secureConnection', (socket) => sockets.push(socket));
});

async function begin(): Promise<ServerInterceptingCallInterface> {
  const identity = { cert: pair.certificateChain, key: pair.privateKey };
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, ...identity });
  onTestFinished(() => session.destroy());
  session.on('error', () => undefined);
  await once(session, 'connect');
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  session.request(headers).on('error', () => undefined);
  await eventually(() => expect(calls).toHaveLength(1));
  return calls[0] as ServerInterceptingCallInterface;
}

test('is the one of the client while its connection is open', async () => {
  const shown = shownCertificate(await begin());
  if (shown === 'lost') throw new Error('the connection is open');
  expect(shown.certificate?.toString('base64')).toBe(pair.certificateChain.split('-----')[2]?.replaceAll('\n', ''));
});

test('of a connection that breaks off before the turn of its request is lost, and ends nothing else', async () => {
  const call = await begin();
  // The request hears of the end of its connection later than the socket.
  sockets[0]?.destroy();
  expect(shownCertificate(call)).toBe('lost');
});
