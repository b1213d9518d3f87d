import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { type Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import type { Authentication, Caller } from '../auth/caller.ts';
import { admitStreams } from './admit-streams.ts';
import { Arrivals } from './arrivals.ts';

const path = '/test.Streams/Talk';
/** A message of 4 MiB that has only begun, and a whole one. */
const begun = Buffer.from('0000400000', 'hex');
const whole = Buffer.from('0000000001ff', 'hex');

describe('admitStreams', () => {
  let server: Server;
  let session: ClientHttp2Session;
  let authentication: Authentication;
  let refused: object[];
  let handled: (string | undefined)[];
  let inTurn: (act: () => void) => void;
  let ends: ServerDuplexStream<Buffer, Buffer>[];

  beforeEach(async () => {
    [refused, handled, ends] = [[], [], []];
    inTurn = (act) => act();
    authentication = { caller: { namespace: 'foo', serviceAccount: 'httpbin', by: 'certificate' } };
    const callers = new WeakMap<Metadata, Caller>();
    server = new Server({
      interceptors: [
        admitStreams({
          ...{ authenticate: () => authentication, identityOf: ({ serviceAccount }) => serviceAccount, callers },
          inTurn: (act) => inTurn(act),
          ...{ arrivals: new Arrivals(1), arrivalMs: 300, refused: (refusal) => void refused.push(refusal) },
        }),
      ],
    });
    const asIs = (bytes: Buffer): Buffer => bytes;
    const form = {
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    };
    server.addService(
      { Talk: { path, requestStream: true, responseStream: true, ...form } },
      {
        Talk: (call: ServerDuplexStream<Buffer, Buffer>) => {
          ends.push(call);
          call.on('data', () => void handled.push(callers.get(call.metadata)?.serviceAccount));
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    session = connect(`http://127.0.0.1:${port}`);
  });
  afterEach(() => {
    session.destroy();
    server.forceShutdown();
  });

  const open = (first: Buffer): ClientHttp2Stream => {
    const stream = session.request({
      ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
    });
    stream.on('error', () => undefined);
    stream.write(first);
    return stream;
  };
  const statusOf = async (stream: ClientHttp2Stream): Promise<string | undefined> => {
    const [headers] = await once(stream, 'response');
    return status[Number(headers['grpc-status'])];
  };

  test('refuses a client without a certificate before its first request has arrived, with the reason', async () => {
    authentication = { problem: 'the client certificate expired' };
    expect(await statusOf(open(begun))).toBe('UNAUTHENTICATED');
    expect(refused).toEqual([
      { reason: 'the client certificate expired', peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
    ]);
    expect(ends).toEqual([]);
  });

  test('looks at a certificate when it is its turn', async () => {
    const waiting: (() => void)[] = [];
    inTurn = (act) => void waiting.push(act);
    authentication = { problem: 'no client certificate' };
    const answer = statusOf(open(begun));
    await eventually(() => expect(waiting).toHaveLength(1));
    expect(refused).toEqual([]);
    waiting[0]?.();
    expect(await answer).toBe('UNAUTHENTICATED');
  });

  test('reads a first request once the one before it has come, and tells the handler who the client is', async () => {
    const first = open(begun);
    await eventually(() => expect(ends).toHaveLength(1));
    open(whole);
    open(whole);
    first.close(8);
    await eventually(() => expect(handled).toEqual(['httpbin', 'httpbin']));
    expect(refused).toEqual([]);
  });

  test('ends a stream whose first request does not come in time, and the next one has its turn', async () => {
    const slow = open(begun);
    open(whole);
    expect(await statusOf(slow)).toBe('DEADLINE_EXCEEDED');
    await eventually(() => expect(handled).toEqual(['httpbin']));
    expect(refused).toMatchObject([{ reason: 'the first request did not come within 300 ms', identity: 'httpbin' }]);
  });

  test('leaves a stream open whose first request has come, however long the second one takes', async () => {
    const talking = open(whole);
    await eventually(() => expect(handled).toHaveLength(1));
    expect(await statusOf(open(begun))).toBe('DEADLINE_EXCEEDED');
    talking.write(whole);
    await eventually(() => expect(handled).toHaveLength(2));
  });

  test('refuses further streams of an identity while more than 250 of its first requests do not come', async () => {
    const streams = Array.from({ length: 300 }, () => open(begun));
    expect(await statusOf(streams.at(-1) as ClientHttp2Stream)).toBe('RESOURCE_EXHAUSTED');
  });
});
