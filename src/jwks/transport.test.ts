import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMeshCa, type MeshCa } from '../testing/certificates.ts';
import { startTestServer, type TestServer } from '../testing/http-server.ts';
import { createTransport } from './transport.ts';

let first: MeshCa;
let second: MeshCa;
let server: TestServer;
beforeAll(async () => {
  [first, second] = await Promise.all([createMeshCa(), createMeshCa()]);
  const certificate = await first.issue('', { uris: [], dnsNames: ['keys.test'] });
  server = await startTestServer((_, response) => response.end('keys'), { certificate });
});
afterAll(() => server.close());

test('a server is trusted by the roots of its own and by those that are named beside them, and by no others', async () => {
  const [known, other] = [first.rootCertificate, second.rootCertificate];
  const get = (roots: Parameters<typeof createTransport>[0]): Promise<string> => {
    const target = { url: new URL(`https://keys.test:${server.port}/`), addresses: ['127.0.0.1'] };
    return createTransport(roots)(target, 100, AbortSignal.timeout(5_000)).then(
      ({ body }) => body.toString(),
      (error: Error) => error.message.replace(/^.*\(/, '('),
    );
  };
  expect(await get({ ownRoots: [], extraRoots: known })).toBe('keys');
  expect(await get({ ownRoots: [known], extraRoots: other })).toBe('keys');
  expect(await get({ ownRoots: [other], extraRoots: other })).toBe('(UNABLE_TO_VERIFY_LEAF_SIGNATURE)');
  expect(await get(undefined)).toBe('(UNABLE_TO_VERIFY_LEAF_SIGNATURE)');
});
