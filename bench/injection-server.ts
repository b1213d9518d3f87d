import { resolve } from 'node:path';
import { AdmissionThread } from '../src/control/admission/admission-thread.ts';
import { startWebhookServer } from '../src/control/admission/webhook-server.ts';
import { CertificateSource } from '../src/control/server/certificate-provider.ts';
import { createMeshCa } from '../src/testing/certificates.ts';

/** Where the server of {@link injecting} is, and how its certificate is verified. */
export interface InjectionServer {
  readonly port: number;
  readonly root: string;
  readonly servername: string;
}

const servername = 'meshd.mesh-system.svc';
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The webhook of `meshd`, with the thread that it has there, in a process that {@link injecting} forks. */
async function serve(): Promise<void> {
  const ca = await createMeshCa();
  const certificates = new CertificateSource();
  const pair = await ca.issue('', { uris: [], dnsNames: [servername] });
  certificates.setPair({ ...pair, notBeforeMs: 0, notAfterMs: Number.MAX_SAFE_INTEGER });
  const program = resolve('dist/meshd-admission.cjs');
  const thread = new AdmissionThread({ log, program, revision: 'default', labelsOf: async () => undefined });
  thread.knowNamespaces(new Map([['shop', { 'mesh-injection': 'enabled' }]]));
  thread.use({ revision: 'default', ownNamespace: 'mesh-system', prefersNative: true });
  // It is loaded.
  await thread.ask('', { webhook: 'validate', text: '', location: {} });
  const address = { host: '127.0.0.1', port: 0 };
  const { port } = await startWebhookServer({ address, certificates, thread, observe: () => undefined, log });
  process.send?.({ port, root: ca.rootCertificate, servername } satisfies InjectionServer);
}

await serve();
