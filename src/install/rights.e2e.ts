import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { makeSampleMesh } from '../control/testing/cluster-mesh.ts';
import { connectTo, send } from '../control/testing/control-bench.ts';
import { ReplicaProcess } from '../control/testing/replica-processes.ts';
import { createTestRequest } from '../control/testing/signing-requests.ts';
import { freePorts } from '../testing/free-ports.ts';
import { startTestServer, type TestServer } from '../testing/http-server.ts';
import { applyInstallation, usualInstallation } from '../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../testing/kubernetes/cluster.ts';
import { defineInBothGroups } from '../testing/kubernetes/definitions.ts';
import { manifestText } from './manifest.ts';
import { requestsOf, rightsIn } from './testing/rights.ts';

const security = '/apis/security.mesh.io/v1beta1/namespaces/foo';
const roots = '/api/v1/namespaces/foo/configmaps/istio-ca-root-cert';

/** Rights of which the server's log does not tell that they are used here. */
const unseen = [
  // Asked for by the server itself, where a server-side apply makes an object.
  'create configmaps.',
  'create configmaps.  mesh-system',
  // Of a root that is renewed, after years.
  'update secrets. cacerts istio-ca-secret mesh-system',
  // Where the kind is not defined in our group.
  'create workloadgroups.networking.istio.io  mesh-system',
];

describe('the account of meshd in the manifest', () => {
  let cluster: Cluster;
  let issuer: TestServer;
  const replicas: ReplicaProcess[] = [];

  beforeAll(async () => {
    issuer = await startTestServer((_request, response) => void response.end('{"keys": []}'));
    cluster = await startCluster({
      controllers: ['endpoints-controller', 'endpointslice-controller'],
      isAudited: true,
    });
    await defineInBothGroups(cluster);
    await makeSampleMesh(cluster);
    await applyInstallation(cluster, ['namespace', 'rights', 'validation', 'injection']);
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.end('SIGKILL');
    await issuer?.close();
    await cluster?.close();
  });

  async function begin(
    name: string,
    environment: Readonly<Record<string, string>>,
    flags: readonly string[] = [],
  ): Promise<ReplicaProcess> {
    const [secure = 0, monitoring = 0, webhook = 0] = await freePorts(3);
    const token = await cluster.accountToken('mesh-system', 'meshd');
    const replica = new ReplicaProcess({
      ...{ folder: join(cluster.folder, name), ports: { secure, monitoring }, hasSharedAuthority: true },
      kubeconfig: cluster.kubeconfig(name, token),
      environment: { PILOT_ENABLE_STATUS: 'true', MESHD_CUSTOM_HOST: '127.0.0.1', ...environment },
      flags: ['--webhookAddr', `127.0.0.1:${webhook}`, ...flags],
      meshConfig: `jwksAllowedHosts: [127.0.0.1]\n`,
    });
    replicas.push(replica);
    await replica.start();
    return replica;
  }
  /** A debug request of an account, about which the API server is asked. */
  async function askAsReader(port: number, ca: string): Promise<number | undefined> {
    const authorization = `Bearer ${await cluster.accountToken('foo', 'httpbin', ['mesh-debug'])}`;
    const sent = request({
      host: '127.0.0.1',
      port,
      ca,
      path: '/debug/syncz',
      headers: { authorization },
      agent: false,
    });
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  }
  const isThere = (path: string) => vi.waitFor(() => cluster.api.must('GET', path), 20_000);

  test('has every right that meshd uses, and none that it does not use', async () => {
    const [debug = 0] = await freePorts(1);
    const first = await begin('first', {}, ['--debugAddr', `127.0.0.1:${debug}`]);
    const { data } = await isThere(roots);
    const { api } = cluster;
    const rules = [{ issuer: 'https://tokens.example', jwksUri: `http://127.0.0.1:${issuer.port}/keys` }];
    const tokens = {
      apiVersion: 'security.mesh.io/v1beta1',
      kind: 'RequestAuthentication',
      metadata: { name: 'tokens' },
    };
    await api.must('POST', `${security}/requestauthentications`, { ...tokens, spec: { jwtRules: rules } });
    const client = connectTo(first.port, data['root-cert.pem']);
    const token = await cluster.accountToken('foo', 'httpbin', ['mesh-ca']);
    const { code } = await send(client, { csr: (await createTestRequest()).csr, token });
    client.close();
    expect(code).toBe(0);
    expect(await askAsReader(debug, data['root-cert.pem'])).toBe(200);
    for (const group of ['security.istio.io', 'networking.istio.io', 'networking.mesh.io']) {
      const [kind, plural] = group.startsWith('security')
        ? ['PeerAuthentication', 'peerauthentications']
        : ['Sidecar', 'sidecars'];
      const object = { apiVersion: `${group}/v1beta1`, kind, metadata: { name: 'default' }, spec: {} };
      await api.must('POST', `/apis/${group}/v1beta1/namespaces/foo/${plural}`, object);
    }
    await begin('second', { PILOT_USE_ENDPOINT_SLICE: 'true' });
    await vi.waitFor(async () => {
      const { status } = await api.must('GET', `${security}/requestauthentications/tokens`);
      expect(status?.conditions?.length).toBeGreaterThan(0);
    }, 20_000);
    await api.must('DELETE', roots);
    await isThere(roots);
    // meshd asks for the definition of a kind when an object of the kind is deleted.
    await api.must('DELETE', '/apis/networking.mesh.io/v1beta1/namespaces/foo/sidecars/default');
    await first.end('SIGTERM');
    await vi.waitFor(() => {
      const requests = requestsOf(cluster, 'mesh-system:meshd');
      expect(requests.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
      const rights = rightsIn(manifestText(usualInstallation));
      expect(rights.filter(({ covers }) => !requests.some(covers)).map(({ text }) => text)).toEqual(unseen);
    }, 20_000);
  });
});
