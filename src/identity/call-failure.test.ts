import { Client, credentials, Server, ServerCredentials, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callFailure } from './call-failure.ts';

const asIs = (bytes: Buffer): Buffer => bytes;

function failureOf(address: string): Promise<ServiceError> {
  const client = new Client(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest('/a/B', asIs, asIs, Buffer.alloc(0), (error) =>
      error === null ? reject(new Error('answered')) : resolve(error),
    );
  });
}

describe('callFailure', () => {
  test('says that nobody serves the port', async () => {
    const server = new Server();
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    server.forceShutdown();
    const address = `127.0.0.1:${port}`;
    expect(callFailure(await failureOf(address), address)).toBe(
      `cannot connect to ${address}: connect ECONNREFUSED ${address}`,
    );
  });

  test.each([
    [status.UNAVAILABLE, 'No connection established', 'cannot connect to a:1'],
    [
      status.UNAVAILABLE,
      'No connection established. Last error: null. Resolution note: all is well',
      'cannot connect to a:1',
    ],
    [status.UNAVAILABLE, 'Connection dropped', 'the connection to a:1 has broken off'],
    [status.UNAVAILABLE, 'the workload is not\nknown yet', 'a:1 answers UNAVAILABLE: the workload is not known yet'],
    [status.INTERNAL, 'x'.repeat(400), `a:1 answers INTERNAL: ${'x'.repeat(300)}…`],
    [77, 'no', 'a:1 answers with an error: no'],
  ])('code %i with "%s"', (code, details, said) => {
    expect(callFailure({ code, details }, 'a:1')).toBe(said);
  });
});
