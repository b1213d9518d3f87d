import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pod, topologyText } from '../../src/testbed/mesh-objects.ts';
import { until } from '../../src/testbed/until.ts';
import { createMeshCa, type IssuedCertificate, type MeshCa } from '../../src/testing/certificates.ts';
import { tries } from '../../src/testing/effort.ts';
import { startLoad } from '../load/load.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { createIdentityMesh, type IdentityMesh } from './identity-mesh.ts';
import { failuresOf } from './watching.ts';

const gatewayAddress = '10.77.0.20';
const gatewayPort = 8443;
const gatewayId = 'spiffe://edge.example/gateway';

const gateway = {
  apiVersion: 'networking.mesh.io/v1',
  kind: 'Gateway',
  metadata: { namespace: 'mesh-system', name: 'edge' },
  spec: {
    selector: { app: 'gateway' },
    servers: [
      {
        port: { number: gatewayPort, name: 'https', protocol: 'HTTPS' },
        hosts: ['*'],
        tls: { mode: 'MUTUAL', credentialName: 'edge' },
      },
    ],
  },
};

const route = {
  apiVersion: 'networking.mesh.io/v1',
  kind: 'VirtualService',
  metadata: { namespace: 'mesh-system', name: 'edge' },
  spec: {
    hosts: ['*'],
    gateways: ['edge'],
    http: [{ route: [{ destination: { host: 'server.foo.svc.cluster.local', port: { number: 8000 } } }] }],
  },
};

function secrets({ certificateChain, privateKey }: IssuedCertificate, clientRoots: string): object[] {
  const secret = (name: string, data: Readonly<Record<string, string>>): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'mesh-system', name },
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, btoa(text)])),
  });
  return [
    secret('edge', { 'tls.crt': certificateChain, 'tls.key': privateKey }),
    secret('edge-cacert', { 'ca.crt': clientRoots }),
  ];
}

describeMesh('a router with identities of meshd and secrets of its own', () => {
  let mesh: IdentityMesh;
  let ca: MeshCa;
  let first: IssuedCertificate;
  const issue = (): Promise<IssuedCertificate> => ca.issue(gatewayId);
  beforeAll(async () => {
    ca = await createMeshCa();
    first = await issue();
    mesh = await createIdentityMesh({
      lifetime: '10s',
      graceRatio: 0.7,
      topology: [pod({ namespace: 'mesh-system', name: 'gateway', index: 20, isRouter: true })],
      policies: [gateway, route, ...secrets(first, ca.rootCertificate)],
    });
  });
  afterAll(() => mesh?.testbed.close());

  /** Serial number of the certificate that a new connection is shown. */
  async function serialMet(): Promise<string> {
    const script = `openssl s_client -connect ${gatewayAddress}:${gatewayPort} </dev/null 2>/dev/null | openssl x509 -noout -serial`;
    const { stdout } = await mesh.testbed.sandbox.run(['sh', '-c', script], { network: 'legacy-client' });
    return stdout.trim().replace('serial=', '');
  }

  async function untilMet(issued: IssuedCertificate): Promise<void> {
    const { serialNumber } = new X509Certificate(issued.certificateChain);
    const isMet = async (): Promise<true | undefined> => ((await serialMet()) === serialNumber ? true : undefined);
    const otherwise = async (): Promise<string> => `met ${await serialMet()}, not ${serialNumber}`;
    await until(isMet, { timeoutMs: 60_000, everyMs: 100, otherwise });
  }

  test('fails no request while its certificate, key and client CAs change, and when a key does not match its certificate', async () => {
    const outside = await ca.issue('spiffe://outside.example/client');
    const load = await startLoad(mesh.testbed.sandbox, {
      network: 'legacy-client',
      targets: [{ host: gatewayAddress, port: gatewayPort }],
      path: '/ip',
      lines: 3,
      perSecond: 12,
      tls: {
        cert: outside.certificateChain,
        key: outside.privateKey,
        ca: ca.rootCertificate,
        serverId: gatewayId,
      },
    });
    const others = await createMeshCa();
    const put = (pair: IssuedCertificate, roots: string): Promise<void> =>
      mesh.testbed.apply({ 'more.yaml': topologyText([gateway, route, ...secrets(pair, roots)]) });
    await untilMet(first);
    let last = first;
    for (let i = 0; i < tries(4); i += 1) {
      last = await issue();
      await put(last, ca.rootCertificate + (i % 2 === 0 ? others.rootCertificate : ''));
      await untilMet(last);
    }
    const router = mesh.testbed.sidecar('mesh-system/gateway');
    const from = (await router.output()).length;
    await put({ ...(await issue()), privateKey: last.privateKey }, ca.rootCertificate);
    expect((await router.output()).slice(from)).toContain('the last valid one stays');
    await untilMet(last);
    expect(failuresOf(await load.stop())).toEqual({ failed: 0, first: [] });
  });
});
