import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { createMeshCa } from '../../testing/certificates.ts';
import { CertificateSource } from './certificate-provider.ts';
import { startHttpsServer } from './https-server.ts';

test('an HTTPS server ends a request that does not arrive in its time, long before Node would look for it', async () => {
  const ca = await createMeshCa();
  const certificates = new CertificateSource();
  const pair = await ca.issue('', { uris: [], dnsNames: ['meshd.mesh-system.svc'] });
  certificates.setPair({ ...pair, notBeforeMs: 0, notAfterMs: Number.MAX_SAFE_INTEGER });
  const server = await startHttpsServer({
    ...{ address: { host: '127.0.0.1', port: 0 }, certificates, maxHeaderSize: 16_384, mostConnections: 8 },
    ...{ requestTimeoutMs: 1_000, onRequest: (request) => void request.resume() },
  });
  try {
    const options = { host: '127.0.0.1', port: server.port, ca: ca.rootCertificate };
    const client = connect({ ...options, servername: 'meshd.mesh-system.svc' });
    const begunMs = performance.now();
    client.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{');
    expect(await text(client)).toContain('408 Request Timeout');
    expect(performance.now() - begunMs).toBeLessThan(25_000);
  } finally {
    await server.close();
  }
}, 60_000);
