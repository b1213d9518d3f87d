import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAuthority } from '../control/ca/open-authority.ts';
import { createTestAuthority } from '../control/testing/authorities.ts';
import { makeSampleMesh } from '../control/testing/cluster-mesh.ts';
import { connectTo, send } from '../control/testing/control-bench.ts';
import { ReplicaProcess } from '../control/testing/replica-processes.ts';
import { createTestRequest } from '../control/testing/signing-requests.ts';
import { KubernetesApi } from '../kubernetes/api.ts';
import { accessOfKubeconfig } from '../kubernetes/kubeconfig.ts';
import { eventually } from '../testing/eventually.ts';
import { freePorts } from '../testing/free-ports.ts';
import { startTestServer, type TestServer } from '../testing/http-server.ts';
import { ApiClient } from '../testing/kubernetes/api-client.ts';
import { applyInstallation, usualInstallation } from '../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../testing/kubernetes/cluster.ts';
import { defineInBothGroups } from '../testing/kubernetes/definitions.ts';
import { defineGatewayApi } from '../testing/kubernetes/gateway-api.ts';
import { grant, makeAccount } from '../testing/kubernetes/rights.ts';
import { manifestText } from './manifest.ts';
import { type AuditedRequest, requestsOf, rightsIn } from './testing/rights.ts';
import { needlessRights } from './testing/users-without.ts';

const security = '/apis/security.mesh.io/v1beta1/namespaces/foo';
const roots = '/api/v1/namespaces/foo/configmaps/istio-ca-root-cert';
const secrets = '/api/v1/namespaces/mesh-system/secrets';
const account = 'mesh-system:meshd';

const standardGroup = 'gateway.networking.k8s.io';
const attached = {
  parentRefs: [{ name: 'edge' }],
  hostnames: ['a.example.com'],
  rules: [{ backendRefs: [{ name: 'httpbin', port: 8000 }] }],
};

/** One object of each kind of the Gateway API that has a status. */
const standardObjects = (
  [
    ['GatewayClass', 'gatewayclasses', 'v1', { controllerName: 'mesh.io/gateway-controller' }],
    ['Gateway', 'gateways', 'v1', { gatewayClassName: 'edge', listeners: [{ name: 'a', port: 80, protocol: 'HTTP' }] }],
    ['HTTPRoute', 'httproutes', 'v1', attached],
    ['GRPCRoute', 'grpcroutes', 'v1', attached],
    ['TLSRoute', 'tlsroutes', 'v1alpha2', attached],
  ] as const
).map(([kind, resource, version, spec]) => ({
  path: `/apis/${standardGroup}/${version}${kind === 'GatewayClass' ? '' : '/namespaces/foo'}/${resource}`,
  body: { apiVersion: `${standardGroup}/${version}`, kind, metadata: { name: 'edge' }, spec },
}));
const years = 365 * 86_400_000;

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
    await defineGatewayApi(cluster);
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
  /** Opens the CA of the cluster as a meshd does that has run for so long, and closes it once it has followed the Secret. */
  async function openAuthorityAfter(ageMs: number, secret: string): Promise<void> {
    const file = cluster.kubeconfig('authority', await cluster.accountToken('mesh-system', 'meshd'));
    const api = new KubernetesApi(accessOfKubeconfig(file, readFileSync(file, 'utf8'), undefined));
    const opened = await openAuthority({
      ...{ folder: undefined, secrets: { api, namespace: 'mesh-system' } },
      ...{ trustDomain: 'cluster.local', keyAlgorithm: 'ECDSA', clock: () => Date.now() + ageMs },
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    const isFollowed = ({ verb, name }: AuditedRequest): boolean => verb === 'watch' && name === secret;
    await eventually(() => expect(requestsOf(cluster, account).some(isFollowed)).toBe(true));
    opened.close();
    api.close();
  }
  const isThere = (path: string) => eventually(() => cluster.api.must('GET', path));

  test('has every right that meshd uses, and none without which the API server would refuse it nothing', async () => {
    const [debug = 0] = await freePorts(1);
    const first = await begin('first', { PILOT_ENABLED_SERVICE_APIS: 'true' }, ['--debugAddr', `127.0.0.1:${debug}`]);
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
    for (const { path, body } of standardObjects) await api.must('POST', path, body);
    for (const { path, body } of standardObjects) {
      await eventually(async () => {
        const { status } = await api.must('GET', `${path}/${body.metadata.name}`);
        expect(status?.conditions ?? status?.parents).not.toEqual([]);
        expect(status).toBeDefined();
      });
    }
    await begin('second', { PILOT_USE_ENDPOINT_SLICE: 'true' });
    await eventually(async () => {
      const { status } = await api.must('GET', `${security}/requestauthentications/tokens`);
      expect(status?.conditions?.length).toBeGreaterThan(0);
    });
    await api.must('DELETE', roots);
    await isThere(roots);
    // meshd asks for the definition of a kind when an object of the kind is deleted.
    await api.must('DELETE', '/apis/networking.mesh.io/v1beta1/namespaces/foo/sidecars/default');
    // Where the kind is not defined in our group, meshd tries the webhook with that of Istio's.
    const groups = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/workloadgroups.networking.mesh.io';
    await api.must('DELETE', groups);
    await first.end('SIGTERM');
    const rights = rightsIn(manifestText(usualInstallation));
    const untilUnused = (expected: readonly string[]): Promise<void> =>
      eventually(() => {
        const requests = requestsOf(cluster, account);
        const unused = rights.filter(({ covers }) => !requests.some(covers));
        expect(unused.map(({ text }) => text)).toEqual(expected);
      });
    const ofAuthorities = ['list secrets. cacerts', 'watch secrets. cacerts', 'update secrets. istio-ca-secret'];
    await untilUnused(ofAuthorities.map((text) => `${text} in mesh-system`));
    await openAuthorityAfter(8.5 * years, 'istio-ca-secret');
    await api.must('POST', secrets, { metadata: { name: 'cacerts' }, data: await pluggedIn() });
    await openAuthorityAfter(0, 'cacerts');
    await untilUnused([]);
    const requests = requestsOf(cluster, account);
    expect(requests.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
    expect(rights.length).toBeGreaterThan(50);
    expect(await needlessRights(cluster, rights, requests)).toEqual([]);
  });

  test('is read from a log that lacks one request: a server-side apply that makes an object needs the right to create it', async () => {
    await makeAccount(cluster, 'mesh-system', 'applier');
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }];
    await grant(cluster, 'mesh-system/applier', { name: 'applier', namespace: 'mesh-system', rules });
    const token = await cluster.accountToken('mesh-system', 'applier');
    const applier = new ApiClient({ port: cluster.port, ca: cluster.ca, token });
    const path = '/api/v1/namespaces/mesh-system/configmaps/applied?fieldManager=test';
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' } };
    const { status, body } = await applier.ask('PATCH', path, object, 'application/apply-patch+yaml');
    applier.close();
    expect([status, body.message]).toEqual([403, expect.stringMatching(/cannot create resource "configmaps"/)]);
  });
});

async function pluggedIn(): Promise<Readonly<Record<string, string>>> {
  const { certificate, privateKey } = await createTestAuthority({ name: 'root' });
  const texts = {
    ...{ 'ca-cert.pem': certificate, 'ca-key.pem': privateKey },
    ...{ 'root-cert.pem': certificate, 'cert-chain.pem': '' },
  };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}
