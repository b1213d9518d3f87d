import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { type Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCertificate } from '../../identity/ca-protocol.ts';
import { type AdmittedRequest, Refusal } from '../ca/certificate-service.ts';
import { admitFirst } from './admit-first.ts';

/** A message of 4 MiB that has only begun. */
const begun = Buffer.from('0000400000', 'hex');

describe('admitFirst', () => {
  let server: Server;
  let session: ClientHttp2Session;
  let ended: string[];
  let asked: string[];
  let release: () => void;

  beforeEach(async () => {
    [ended, asked] = [[], []];
    const requests = new WeakMap<Metadata, AdmittedRequest>();
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const admit = async ({ authorization: [who = 'nobody'] }: { readonly authorization: readonly string[] }) => {
      asked.push(who);
      if (who === 'slow') await held;
      if (who === 'nobody') throw new Refusal(status.UNAUTHENTICATED, 'no');
      return {
        answer: async () => ({ certificateChain: ['leaf'] }),
        broken: (code: status) => void ended.push(`${who} ${status[code]}`),
      };
    };
    server = new Server({
      interceptors: [admitFirst({ admit, requests, maxMessageBytes: 5_000_000, arrivalMs: 300 })],
    });
    server.addService({ CreateCertificate: createCertificate }, { CreateCertificate: () => undefined });
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

  const begin = (authorization?: string): ClientHttp2Stream => {
    const stream = session.request({
      ':method': 'POST',
      ':path': createCertificate.path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...(authorization === undefined ? {} : { authorization }),
    });
    stream.on('error', () => undefined);
    stream.write(begun);
    return stream;
  };
  const statusOf = async (stream: ClientHttp2Stream): Promise<string | undefined> => {
    const [headers] = await once(stream, 'response');
    return status[Number(headers['grpc-status'])];
  };

  test('refuses a caller without a right before its message has arrived', async () => {
    expect(await statusOf(begin())).toBe('UNAUTHENTICATED');
    expect(ended).toEqual([]);
  });

  test('drops a request whose message does not arrive in time', async () => {
    expect(await statusOf(begin('httpbin'))).toBe('DEADLINE_EXCEEDED');
    expect(ended[0]).toBe('httpbin DEADLINE_EXCEEDED');
  });

  test('drops a request whose caller has gone during authentication', async () => {
    const stream = begin('slow');
    await expect.poll(() => asked).toEqual(['slow']);
    stream.close(8);
    await once(stream, 'close');
    // An answer on the same connection says that the server has seen the end of the other stream.
    expect(await statusOf(begin())).toBe('UNAUTHENTICATED');
    release();
    await expect.poll(() => ended).toEqual(['slow CANCELLED']);
  });
});
