import { generateKeyPairSync } from 'node:crypto';
import { Agent, request } from 'node:https';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { delay } from '../../lib/abort.ts';
import type { JsonObject } from '../../source/document.ts';
import { createMeshCa, type MeshCa } from '../../testing/certificates.ts';
import { CertificateSource } from '../server/certificate-provider.ts';
import type { HttpsServer } from '../server/https-server.ts';
import { AdmissionThread } from './admission-thread.ts';
import { reviewOf as keysReview } from './testing/reviews.ts';
import { startWebhookServer } from './webhook-server.ts';

const built = resolve(import.meta.dirname, '../../../dist/meshd-admission.cjs');
const servername = 'meshd.mesh-system.svc';

/** A review of a new pod. */
function reviewOf(annotations: JsonObject): string {
  const metadata = { name: 'web', namespace: 'shop', annotations };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const request = { uid: 'u', kind, operation: 'CREATE', namespace: 'shop', object, oldObject: null };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
}

describe('the injection webhook under load', () => {
  const certificates = new CertificateSource();
  let ca: MeshCa;
  let thread: AdmissionThread;
  let server: HttpsServer;

  beforeAll(async () => {
    ca = await createMeshCa();
    await replaceCertificate();
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const labelsOf = async () => ({ 'mesh-injection': 'enabled' });
    thread = new AdmissionThread({ log, program: built, revision: 'default', labelsOf });
    thread.use({ revision: 'default', ownNamespace: 'mesh-system' });
    const address = { host: '127.0.0.1', port: 0 };
    server = await startWebhookServer({ address, certificates, thread, observe: () => undefined, log });
  });
  afterAll(async () => {
    await server?.close();
    await thread?.close();
  });

  async function replaceCertificate(): Promise<void> {
    const pair = await ca.issue('', { uris: [], dnsNames: [servername] });
    certificates.setPair({ ...pair, notBeforeMs: 0, notAfterMs: Number.MAX_SAFE_INTEGER });
  }
  /** The names of the containers that the pod gets. */
  async function inject(body: string, agent: Agent | false): Promise<readonly string[]> {
    const answer = await new Promise<string>((done, reject) => {
      const sent = request({
        ...{ host: '127.0.0.1', port: server.port, ca: ca.rootCertificate, servername, agent },
        ...{ method: 'POST', path: '/inject', headers: { 'content-type': 'application/json' } },
      });
      sent.on('response', (response) => done(text(response)));
      sent.on('error', reject).end(body);
    });
    const { response } = JSON.parse(answer);
    if (!response.allowed) throw new Error(response.status.message);
    const operations = JSON.parse(Buffer.from(response.patch, 'base64').toString()) as readonly JsonObject[];
    return operations
      .flatMap(({ value }) => [...JSON.stringify(value).matchAll(/"name":"(mesh-(?:init|proxy))"/g)])
      .map(([, name = '']) => name);
  }

  test('injects each of 200 pods at once whole, while its certificate is replaced and 100 clients send nothing more', async () => {
    const begun = 'POST /inject HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n{';
    const silent = Array.from({ length: 100 }, () => {
      const options = { host: '127.0.0.1', port: server.port, ca: ca.rootCertificate, servername };
      const client = connect(options, () => client.write(begun));
      return client.on('error', () => undefined);
    });
    let isOver = false;
    let replaced = 0;
    const replacing = (async () => {
      for (; !isOver; replaced += 1) await Promise.all([replaceCertificate(), delay(100)]);
    })();
    // Some on connections of their own, some on those that an API server keeps.
    const kept = new Agent({ keepAlive: true, maxSockets: 4 });
    const all = Array.from({ length: 200 }, (_, i) => inject(reviewOf({}), i % 2 === 0 ? kept : false));
    const results = await Promise.all(all);
    isOver = true;
    await replacing;
    kept.destroy();
    for (const client of silent) client.destroy();
    expect(new Set(results.map((names) => [...new Set(names)].sort().join()))).toEqual(
      new Set(['mesh-init,mesh-proxy']),
    );
    expect(replaced).toBeGreaterThan(0);
  });

  test('answers pods behind key sets, whose check waits for cryptography, each its own', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwks = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] });
    const policy = (i: number): JsonObject => ({
      ...{ apiVersion: 'security.mesh.io/v1', kind: 'RequestAuthentication', metadata: { name: `keys-${i}` } },
      spec: { jwtRules: [{ issuer: `https://issuer-${i}.example`, jwks }] },
    });
    // The thread has all of them before it has answered the first.
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => {
        if (i % 2 === 1) return thread.ask('a', { webhook: 'inject', text: reviewOf({}), location: {} });
        const text = JSON.stringify(keysReview({ object: policy(i), uid: `keys-${i}` }));
        return thread.ask('a', { webhook: 'validate', text, location: {} });
      }),
    );
    for (const [i, { body }] of answers.entries()) {
      const { uid, allowed } = JSON.parse(body).response;
      expect([uid, allowed]).toEqual([i % 2 === 1 ? 'u' : `keys-${i}`, true]);
    }
  });

  test('injects a pod of more than 1 MB', async () => {
    const names = await inject(reviewOf({ notes: 'x'.repeat(1 << 20) }), false);
    expect(names).toContain('mesh-proxy');
  });
});
