import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeshCa, type MeshCa } from '../testing/certificates.ts';
import { requestCertificate } from './ca-client.ts';
import { authorityIn, startTestAuthority } from './testing/test-authority.ts';

let folder: string;
let ca: MeshCa;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ca-client-'));
  ca = await createMeshCa();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The server names that a server at `host` is asked for, which hangs up then, and what the client says of it. */
async function askOnce(host: string, certificate: object): Promise<{ names: unknown[]; failure: string }> {
  const own = await ca.issue('', { uris: [], ...certificate });
  const names: unknown[] = [];
  const pair = { key: own.privateKey, cert: own.certificateChain, ALPNProtocols: ['h2'] };
  const server = createServer(pair, (socket: TLSSocket & { servername?: unknown }) => {
    names.push(socket.servername);
    socket.on('error', () => undefined).destroy();
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  const { port } = server.address() as AddressInfo;
  const authority = await authorityIn(folder, { ca, port }, { address: `${host}:${port}` });
  const request = { csr: '', validitySeconds: 60n, metadata: new Map() };
  const failure = await requestCertificate(authority, {
    request,
    token: { token: 'a.b.c' },
    announcedRoots: '',
    deadlineMs: 3_000,
    signal: new AbortController().signal,
  }).then(
    () => 'none',
    (error: Error) => error.message,
  );
  await new Promise((resolve) => server.close(resolve));
  return { names, failure };
}

describe('requestCertificate', () => {
  test('sends the name of the CA, and checks its certificate by it', async () => {
    const { names } = await askOnce('localhost', { dnsNames: ['localhost'] });
    expect(names[0]).toBe('localhost');
  });

  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
  ])(
    'sends no name for the address %s, of which Node would warn, and checks the certificate by it',
    async (host, ip) => {
      const warnings: Error[] = [];
      const note = (warning: Error): void => void warnings.push(warning);
      process.on('warning', note);
      const { names } = await askOnce(host, { addresses: [ip] });
      expect(names[0]).toBe(false);
      const { failure } = await askOnce(host, { addresses: ['192.0.2.1'], dnsNames: ['localhost'] });
      expect(failure).toContain(`the certificate is not for the address ${ip}`);
      process.off('warning', note);
      expect(warnings).toEqual([]);
    },
  );

  test('says which cluster it is of, and shows its token', async () => {
    const server = await startTestAuthority({ ca });
    server.answer = () => ({ code: 7, details: 'nobody' });
    const authority = await authorityIn(folder, server, { clusterId: 'east' });
    const attempt = {
      request: { csr: 'csr', validitySeconds: 60n, metadata: new Map() },
      ...{ token: { token: 'a.b.c' }, announcedRoots: '', deadlineMs: 3_000, signal: new AbortController().signal },
    };
    await expect(requestCertificate(authority, attempt)).rejects.toThrow('nobody');
    server.close();
    const [seen] = server.seen;
    expect(seen?.metadata.get('clusterid')).toEqual(['east']);
    expect(seen?.metadata.get('authorization')).toEqual(['Bearer a.b.c']);
    expect(seen?.request).toMatchObject({ csr: 'csr', validitySeconds: 60n });
  });
});
