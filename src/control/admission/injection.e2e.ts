import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePorts } from '../../testing/free-ports.ts';
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

  beforeAll(async () => {
    cluster = await startCluster({ controllers: usualControllers });
    await applyInstallation(cluster, ['namespace', 'rights', 'injection']);
    const folder = join(cluster.folder, 'meshd');
    await mkdir(folder);
    await writeFile(join(folder, 'own.hbs'), template('own:1'));
    const [secure = 0, figures = 0, port = 0] = await freePorts(3);
    monitoring = figures;
    meshd = new ReplicaProcess({
      ...{ folder, ports: { secure, monitoring } },
      kubeconfig: cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd')),
      environment: { MESHD_CUSTOM_HOST: '127.0.0.1' },
      flags: ['--webhookAddr', `127.0.0.1:${port}`, '--injectionTemplate', 'own=own.hbs'],
      meshConfig: 'injection: {image: "proxy:1"}\n',
    });
    await meshd.start();
    const { webhooks } = await cluster.api.must('GET', configuration);
    // No service leads to a process beside the cluster.
    const clientConfig = { url: `https://127.0.0.1:${port}/inject`, service: null };
    const reached = webhooks.map(({ name }: { readonly name: string }) => ({ name, clientConfig }));
    await cluster.api.must('PATCH', configuration, { webhooks: reached }, merge);
    await makeNamespace('shop', { 'mesh-injection': 'enabled' });
    await vi.waitFor(async () => expect((await create('shop', 'first')).status).toBe(201), 20_000);
  });
  afterAll(async () => {
    await meshd?.end('SIGKILL');
    await cluster?.close();
  });

  async function makeNamespace(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name, labels } });
    await vi.waitFor(() => cluster.api.must('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`), 20_000);
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

  test("follows changes of a user's template, and keeps the last valid one", async () => {
    const imageOf = async (name: string): Promise<string | undefined> => {
      const annotations = { 'inject.mesh.io/templates': 'sidecar,own' };
      const { spec } = await created('shop', name, { annotations });
      return [...(spec.initContainers ?? []), ...spec.containers].find((each) => each.name === 'mesh-proxy')?.image;
    };
    expect(await imageOf('own-1')).toBe('own:1');
    await writeFile(join(cluster.folder, 'meshd/own.hbs'), template('own:2'));
    let count = 1;
    await vi.waitFor(async () => expect(await imageOf(`own-${++count}`)).toBe('own:2'), 10_000);
    await writeFile(join(cluster.folder, 'meshd/own.hbs'), '{{#if');
    await vi.waitFor(() => expect(meshd.output).toMatch(/settings of injection stay as they were/), 10_000);
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
});
