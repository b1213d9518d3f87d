import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { applyInstallation } from '../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { defineAll } from '../../testing/kubernetes/definitions.ts';
import { defineGatewayApi } from '../../testing/kubernetes/gateway-api.ts';
import { standardObject } from '../testing/edge-cluster.ts';
import { ReplicaProcess } from '../testing/replica-processes.ts';

const configuration = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/mesh-validator';
const merge = 'application/strategic-merge-patch+json';
const standard = (resource: string, version = 'v1') =>
  `/apis/gateway.networking.k8s.io/${version}/namespaces/default/${resource}`;
const policies = '/apis/security.mesh.io/v1/namespaces/default/peerauthentications';
const policy = { apiVersion: 'security.mesh.io/v1', kind: 'PeerAuthentication', metadata: { name: 'a' }, spec: {} };

/** A protocol of listeners that the mesh does not have. */
const gateway = (name: string, gatewayClassName: string) =>
  standardObject('Gateway', name, { gatewayClassName, listeners: [{ name: 'a', port: 80, protocol: 'UDP' }] });
/** A filter that the mesh does not have. */
const route = (name: string, parent: string) =>
  standardObject('HTTPRoute', name, { parentRefs: [{ name: parent }], rules: [{ filters: [{ type: 'CORS' }] }] });
const warning = (field: string) =>
  expect.stringMatching(`^not valid in the mesh: ${field}: .*\\[unsupported-field\\]$`);

describe('meshd, asked by a real API server about objects of the Gateway API', () => {
  let cluster: Cluster;
  let meshd: ReplicaProcess;

  beforeAll(async () => {
    cluster = await startCluster();
    await applyInstallation(cluster);
    await defineAll(cluster);
    await defineGatewayApi(cluster);
    const [secure = 0, monitoring = 0, port = 0] = await freePorts(3);
    meshd = new ReplicaProcess({
      ...{ folder: join(cluster.folder, 'meshd'), ports: { secure, monitoring } },
      kubeconfig: cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd')),
      environment: { MESHD_CUSTOM_HOST: '127.0.0.1', PILOT_ENABLED_SERVICE_APIS: 'true' },
      flags: ['--webhookAddr', `127.0.0.1:${port}`],
    });
    await meshd.start();
    await applyInstallation(cluster, ['validation']);
    // No service leads to a process beside the cluster. An older meshd writes Fail to every webhook.
    const clientConfig = { url: `https://127.0.0.1:${port}/validate`, service: null };
    const names = ['validation.mesh.io', 'advice.validation.mesh.io'];
    const webhooks = names.map((name) => ({ name, clientConfig, failurePolicy: 'Fail' }));
    await cluster.api.must('PATCH', configuration, { webhooks }, merge);
    for (const [name, controllerName] of [
      ['own', 'mesh.io/gateway-controller'],
      ['other', 'example.com/controller'],
    ] as const) {
      const path = '/apis/gateway.networking.k8s.io/v1/gatewayclasses';
      // Until the keeper has been there, the server refuses what it cannot ask about.
      const object = standardObject('GatewayClass', name, { controllerName });
      await eventually(() => cluster.api.must('POST', path, object));
    }
    await warned('gateways', gateway('trial', 'own'), [expect.any(String)]);
  });
  afterAll(async () => {
    await meshd?.end('SIGKILL');
    await cluster?.close();
  });

  /** The server takes an object whatever it is told, and passes that on. */
  const store = async (resource: string, object: object, version?: string): Promise<readonly string[]> => {
    const { status, warnings } = await cluster.api.ask('POST', standard(resource, version), object);
    expect(status).toBe(201);
    return warnings;
  };
  /** The same, without storing it. */
  const warningsOf = (resource: string, object: object, version?: string) =>
    store(`${resource}?dryRun=All`, object, version);
  /** When time runs out, an object is rightly taken without warnings. */
  const warned = (resource: string, object: object, expected: readonly unknown[], version?: string) =>
    eventually(async () => expect(await warningsOf(resource, object, version)).toEqual(expected));

  test('warns of what is wrong in those of its own classes, and of no others', async () => {
    await warned('gateways', gateway('own', 'own'), [warning('spec.listeners\\[0\\].protocol')]);
    expect(await warningsOf('gateways', gateway('other', 'other'))).toEqual([]);
    expect(await warningsOf('gateways', gateway('unknown', 'nobodys'))).toEqual([]);
    for (const name of ['own', 'other']) await store('gateways', gateway(name, name));
    const ofRoute = [warning('spec.rules\\[0\\].filters\\[0\\].type')];
    await warned('httproutes', route('a', 'own'), ofRoute);
    // Of an older version the server gives what it was asked for.
    const older = { ...route('a', 'own'), apiVersion: 'gateway.networking.k8s.io/v1beta1' };
    await warned('httproutes', older, ofRoute, 'v1beta1');
    expect(await warningsOf('httproutes', route('b', 'other'))).toEqual([]);
    expect(await warningsOf('httproutes', route('c', 'absent'))).toEqual([]);
  });

  test('warns of a grant, which is for nobody alone, and says nothing of sound objects', async () => {
    const grant = (from: object) =>
      standardObject('ReferenceGrant', 'a', { from: [from], to: [{ kind: 'Secret', group: '' }] }, 'v1beta1');
    const from = { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'shop' };
    const faulty = grant({ ...from, namespaces: ['shop'] });
    const warnings = [expect.stringMatching(/^not valid in the mesh: .*"namespaces"/)];
    await warned('referencegrants', faulty, warnings, 'v1beta1');
    expect(await warningsOf('referencegrants', grant(from), 'v1beta1')).toEqual([]);
  });

  test('says nothing of a change of metadata alone, nor of a route whose parents are of other groups', async () => {
    await store('gateways', gateway('labelled', 'own'));
    const patch = async (body: object) => {
      const path = `${standard('gateways')}/labelled?dryRun=All`;
      const { status, warnings } = await cluster.api.ask('PATCH', path, body, 'application/merge-patch+json');
      expect(status).toBe(200);
      return warnings;
    };
    const spec = { listeners: [{ name: 'b', port: 81, protocol: 'UDP' }] };
    await eventually(async () => expect(await patch({ spec })).toHaveLength(1));
    expect(await patch({ metadata: { labels: { a: 'b' } } })).toEqual([]);
    const named = route('d', 'labelled');
    await warned('httproutes', named, [expect.any(String)]);
    const parentRefs = [{ group: 'policy.linkerd.io', kind: 'Server', name: 'labelled' }];
    expect(await warningsOf('httproutes', { ...named, spec: { ...named.spec, parentRefs } })).toEqual([]);
  });

  test('is never waited for: the failure policy stays Ignore beside that of policies, and is made so again', async () => {
    interface Kept {
      readonly name: string;
      readonly failurePolicy: string;
      readonly clientConfig: { readonly caBundle?: string };
    }
    const failurePolicies = async () => {
      const { webhooks } = (await cluster.api.must('GET', configuration)) as { readonly webhooks: readonly Kept[] };
      return webhooks.map(({ name, failurePolicy, clientConfig }) => [
        name,
        failurePolicy,
        typeof clientConfig.caBundle,
      ]);
    };
    const kept = [
      ['validation.mesh.io', 'Fail', 'string'],
      ['advice.validation.mesh.io', 'Ignore', 'string'],
    ];
    await eventually(async () => expect(await failurePolicies()).toEqual(kept));
    const webhooks = [{ name: 'advice.validation.mesh.io', failurePolicy: 'Fail' }];
    await cluster.api.must('PATCH', configuration, { webhooks }, merge);
    await eventually(async () => expect(await failurePolicies()).toEqual(kept));
  });

  test('is not missed: while it is gone, these objects are stored, and policies are not', async () => {
    await meshd.end('SIGTERM');
    const { status, body } = await cluster.api.ask('POST', policies, policy);
    expect([status, body.message]).toEqual([
      500,
      expect.stringMatching(/failed calling webhook "validation\.mesh\.io"/),
    ]);
    expect(await store('gateways', gateway('unseen', 'own'))).toEqual([]);
    expect((await cluster.api.ask('GET', `${standard('gateways')}/unseen`)).status).toBe(200);
  });
});
