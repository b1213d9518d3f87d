import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { startTestServer } from '../../testing/http-server.ts';
import { applyInstallation } from '../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster, usualControllers } from '../../testing/kubernetes/cluster.ts';
import { ReplicaProcess } from '../testing/replica-processes.ts';

const configuration = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/mesh-sidecar-injector';
const merge = 'application/strategic-merge-patch+json';
const template = (image: string): string => `spec: {containers: [{name: mesh-proxy, image: "${image}"}]}\n`;

interface Pod {
  readonly metadata: Readonly<Record<'labels' | 'annotations', Readonly<Record<string, string>>>>;
  readonly spec: { readonly containers: readonly Container[]; readonly initContainers?: readonly Container[] };
}
interface Container {
  readonly name: string;
  readonly image: string;
  readonly restartPolicy?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}
interface PodParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

describe('the injection webhook of meshd, asked by a real API server', () => {
  let cluster: Cluster;
  let meshd: ReplicaProcess;
  let monitoring = 0;
  let port = 0;
  let mounted = 0;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: usualControllers });
    await applyInstallation(cluster, ['namespace', 'rights', 'injection']);
    const folder = join(cluster.folder, 'meshd');
    await mkdir(join(folder, 'templates'), { recursive: true });
    await symlink('..data/own.hbs', join(folder, 'templates/own.hbs'));
    await mount(template('own:1'));
    const [secure = 0, figures = 0, webhook = 0] = await freePorts(3);
    [monitoring, port] = [figures, webhook];
    meshd = new ReplicaProcess({
      ...{ folder, ports: { secure, monitoring } },
      kubeconfig: cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd')),
      environment: { MESHD_CUSTOM_HOST: '127.0.0.1' },
      flags: ['--webhookAddr', `127.0.0.1:${port}`, '--injectionTemplate', 'own=templates/own.hbs'],
      meshConfig: 'injection: {image: "proxy:1"}\n',
    });
    await meshd.start();
    await reach(`https://127.0.0.1:${port}/inject`);
    await makeNamespace('shop', { 'mesh-injection': 'enabled' });
    await eventually(async () => expect((await create('shop', 'first')).status).toBe(201));
  });
  afterAll(async () => {
    await meshd?.end('SIGKILL');
    await cluster?.close();
  });

  /** No service leads to a process beside the cluster. */
  async function reach(url: string, { caBundle, ...rest }: { caBundle?: string; timeoutSeconds?: number } = {}) {
    const { webhooks } = await cluster.api.must('GET', configuration);
    const clientConfig = { url, service: null, ...(caBundle !== undefined && { caBundle }) };
    const reached = webhooks.map(({ name }: { readonly name: string }) => ({ name, clientConfig, ...rest }));
    await cluster.api.must('PATCH', configuration, { webhooks: reached }, merge);
  }
  /** Gives the template of the user another text, as a kubelet does with the file of a ConfigMap: one rename of `..data`. */
  async function mount(text: string): Promise<void> {
    const [folder, version] = [join(cluster.folder, 'meshd/templates'), `..${++mounted}`];
    await mkdir(join(folder, version));
    await writeFile(join(folder, version, 'own.hbs'), text);
    await symlink(version, join(folder, '..next'));
    await rename(join(folder, '..next'), join(folder, '..data'));
  }
  async function makeNamespace(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name, labels } });
    await eventually(() => cluster.api.must('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`));
  }
  const create = (namespace: string, name: string, { labels, annotations, spec }: PodParts = {}) =>
    cluster.api.ask('POST', `/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name, labels: { app: name, ...labels }, annotations },
      spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
    });
  async function created(...args: Parameters<typeof create>): Promise<Pod> {
    const { status, body } = await create(...args);
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body;
  }
  const proxyOf = ({ spec }: Pod) =>
    [...(spec.initContainers ?? []), ...spec.containers].find(({ name }) => name === 'mesh-proxy');
  const names = (list: readonly { readonly name: string }[] = []): string[] => list.map(({ name }) => name);
  const containers = ({ spec }: Pod): string[][] => [names(spec.initContainers), names(spec.containers)];
  async function figure(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${monitoring}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  }

  test('gives pods their proxy: as a native sidecar, with the image of the mesh configuration', async () => {
    const pod = await created('shop', 'plain');
    expect(containers(pod)).toEqual([['mesh-init', 'mesh-proxy'], ['app']]);
    expect(pod.spec.initContainers?.[1]).toMatchObject({ image: 'proxy:1', restartPolicy: 'Always' });
    expect(pod.metadata.labels).toMatchObject({ app: 'plain', 'security.mesh.io/tlsMode': 'mesh' });
    await makeNamespace('asks', {});
    const asking = await created('asks', 'asking', { labels: { 'sidecar.mesh.io/inject': 'true' } });
    expect(containers(asking)[0]).toEqual(['mesh-init', 'mesh-proxy']);
  });

  test("leaves pods alone that say no, that are on their node's network, and of namespaces that do not ask", async () => {
    const before = await figure('sidecar_injection_requests_total');
    await makeNamespace('plain', {});
    const label = { labels: { 'sidecar.mesh.io/inject': 'false' } };
    const annotation = { annotations: { 'sidecar.mesh.io/inject': 'false' } };
    for (const pod of [
      await created('shop', 'says-no', label),
      await created('shop', 'annotated', annotation),
      await created('shop', 'of-the-node', { spec: { hostNetwork: true } }),
      await created('plain', 'unasked'),
      await created('mesh-system', 'own', { labels: { 'sidecar.mesh.io/inject': 'true' } }),
    ])
      expect(containers(pod)).toEqual([[], ['app']]);
    // The API server asks about those alone that its selectors cannot leave out.
    expect((await figure('sidecar_injection_requests_total')) - before).toBe(2);
  });

  test('refuses a pod with an annotation that nobody can obey, and says why', async () => {
    const annotations = { 'traffic.sidecar.mesh.io/excludeInboundPorts': 'http' };
    const { status, body } = await create('shop', 'wrong', { annotations });
    expect(status).toBe(400);
    expect(body.message).toMatch(/denied the request: the pod cannot get its proxy: .*excludeInboundPorts.*"http"/);
    expect((await cluster.api.ask('GET', '/api/v1/namespaces/shop/pods/wrong')).status).toBe(404);
  });

  test('counts every request once', async () => {
    const [requests, ...parts] = await Promise.all(
      ['requests', 'success', 'skip', 'failure'].map((name) => figure(`sidecar_injection_${name}_total`)),
    );
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(requests);
    expect(parts.every((part) => part > 0)).toBe(true);
  });

  test('tells the proxy the cluster and the network that the path of the webhook names', async () => {
    await reach(`https://127.0.0.1:${port}/inject/cluster/west-1/net/n.1`);
    const wanted = Object.entries({ MESH_META_CLUSTER_ID: 'west-1', MESH_META_NETWORK: 'n.1' });
    const env = expect.arrayContaining(wanted.map(([name, value]) => ({ name, value })));
    let count = 0;
    await eventually(async () => expect(proxyOf(await created('shop', `far-${++count}`))).toMatchObject({ env }));
    await reach(`https://127.0.0.1:${port}/inject`);
  });

  test("follows changes of a user's template in a mounted ConfigMap, and keeps the last valid one", async () => {
    const imageOf = async (name: string): Promise<string | undefined> => {
      const annotations = { 'inject.mesh.io/templates': 'sidecar,own' };
      return proxyOf(await created('shop', name, { annotations }))?.image;
    };
    expect(await imageOf('own-1')).toBe('own:1');
    await mount(template('own:2'));
    let count = 1;
    await eventually(async () => expect(await imageOf(`own-${++count}`)).toBe('own:2'));
    await mount('{{#if');
    await eventually(() => expect(meshd.output).toMatch(/settings of injection stay as they were/));
    expect(await imageOf('own-last')).toBe('own:2');
  });

  test('injects whole or not at all: 50 pods at once, and none without meshd', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, (_, i) => created('shop', `many-${i}`)));
    expect(new Set(made.map((pod) => containers(pod).flat().join()))).toEqual(new Set(['mesh-init,mesh-proxy,app']));
    await meshd.end('SIGTERM');
    const { status, body } = await create('shop', 'alone');
    expect([status, body.message]).toEqual([
      500,
      expect.stringMatching(/failed calling webhook "namespace\.injection/),
    ]);
    expect(containers(await created('plain', 'still'))).toEqual([[], ['app']]);
  });

  test('creates no pod while its webhook is slow, breaks off, or has a certificate that is not valid', async () => {
    const [ca, other] = [await createMeshCa(), await createMeshCa()];
    const named = { uris: [], addresses: ['127.0.0.1'] };
    const good = await ca.issue('', named);
    const whole = (response: ServerResponse, text: string) => void response.end(text);
    const cases: readonly (readonly [string, typeof good, typeof whole, RegExp | undefined])[] = [
      ['good', good, whole, undefined],
      ['slow', good, () => undefined, /deadline exceeded|timeout/i],
      ['halting', good, (response, text) => void response.write(text.slice(0, -9)), /deadline exceeded|timeout/i],
      ['cut', good, (response, text) => void response.write(text.slice(0, -9), () => response.destroy()), /EOF|reset/],
      ['expired', await ca.issue('', { ...named, days: -1 }), whole, /certificate has expired/],
      ['foreign', await other.issue('', named), whole, /unknown authority|certificate signed by/],
      ['misnamed', await ca.issue('', { uris: [], addresses: ['127.0.0.2'] }), whole, /valid for 127\.0\.0\.2, not/],
    ];
    for (const [name, certificate, answer, problem] of cases) {
      const server = await startTestServer(
        async (request, response) => answer(response, labelled((await json(request)) as Review)),
        { certificate },
      );
      try {
        await reach(`https://127.0.0.1:${server.port}/`, { caBundle: btoa(ca.rootCertificate), timeoutSeconds: 1 });
        await eventually(async () => {
          const { status, body } = await create('shop', name);
          const expected = [500, expect.stringMatching(problem ?? '')];
          if (problem !== undefined) expect([status, body.message]).toEqual(expected);
          else expect([status, body.metadata?.labels]).toEqual([201, { app: name, half: 'injected' }]);
        });
        const { status } = await cluster.api.ask('GET', `/api/v1/namespaces/shop/pods/${name}`);
        expect(status).toBe(problem === undefined ? 200 : 404);
      } finally {
        await server.close();
      }
    }
  });
});

interface Review {
  readonly request: { readonly uid: string };
}

/** An answer that allows a pod, and gives it a label. */
function labelled({ request: { uid } }: Review): string {
  const patch = btoa(JSON.stringify([{ op: 'add', path: '/metadata/labels/half', value: 'injected' }]));
  const response = { uid, allowed: true, patchType: 'JSONPatch', patch };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
}
