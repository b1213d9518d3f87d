import { topologyText } from '../../src/testbed/mesh-objects.ts';
import { createMeshCa, type IssuedCertificate } from '../../src/testing/certificates.ts';
import { guardedHost } from './tls-attacks.ts';

/** A gateway port with several TLS servers: the objects, and who may connect with which certificate. */
export interface TlsServers {
  /** Gateway, VirtualServices and Secrets, as YAML. */
  readonly policies: string;
  readonly clients: Readonly<Record<'good' | 'foreign', IssuedCertificate>>;
}

const anyone = 'spiffe://cluster.local/ns/outside/sa/anyone';

/** Servers for `*.example.com`, `own.example.com`, a guarded host and a passed-through one, with fresh certificates. */
export async function createTlsServers(): Promise<TlsServers> {
  const [ca, foreignCa] = await Promise.all([createMeshCa(), createMeshCa()]);
  const server = await ca.issue(anyone);
  const clients = { good: await ca.issue(anyone), foreign: await foreignCa.issue(anyone) };
  const tls = (mode: string, credentialName: string): object => ({ tls: { mode, credentialName } });
  const servers = [
    { name: 'wide', hosts: ['*.example.com'], ...tls('SIMPLE', 'simple') },
    { name: 'own', hosts: ['own.example.com'], ...tls('SIMPLE', 'simple') },
    { name: 'guarded', hosts: [guardedHost], ...tls('MUTUAL', 'mutual') },
    { name: 'raw', hosts: ['raw.example.com'], tls: { mode: 'PASSTHROUGH' } },
  ].map(({ name, ...rest }) => ({
    port: { number: 443, name, protocol: name === 'raw' ? 'TLS' : 'HTTPS' },
    ...rest,
  }));
  const objects = [
    {
      apiVersion: 'networking.mesh.io/v1',
      kind: 'Gateway',
      metadata: { namespace: 'foo', name: 'tls' },
      spec: { selector: { app: 'ingressgateway' }, servers },
    },
    routes('everything', ['*.example.com']),
    routes('guarded', [guardedHost]),
    secret('simple', { 'tls.crt': server.certificateChain, 'tls.key': server.privateKey }),
    secret('mutual', {
      'tls.crt': server.certificateChain,
      'tls.key': server.privateKey,
      'ca.crt': ca.rootCertificate,
    }),
  ];
  return { policies: topologyText(objects), clients };
}

/** A VirtualService that leads hosts to the backend; the first of them would lead the guarded host there too. */
function routes(name: string, hosts: readonly string[]): object {
  const destination = { host: 'server.foo.svc.cluster.local', port: { number: 8000 } };
  return {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'VirtualService',
    metadata: { namespace: 'foo', name },
    spec: { hosts, gateways: ['tls'], http: [{ route: [{ destination }] }] },
  };
}

function secret(name: string, texts: Readonly<Record<string, string>>): object {
  const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'mesh-system', name },
    type: 'kubernetes.io/tls',
    data: Object.fromEntries(data),
  };
}
