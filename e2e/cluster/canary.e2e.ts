import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProxiesAnswer } from '../../src/control/debug/answers.ts';
import { repository } from '../../src/testbed/sandbox.ts';
import { node } from '../../src/testbed/sidecar.ts';
import { until } from '../../src/testbed/until.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { builtProgram } from '../../src/testing/kubernetes/programs.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { guideSteps } from '../testing/guide.ts';
import { InstalledMesh } from './node/installed-mesh.ts';
import type { RunningPod } from './node/running-pod.ts';
import { shop } from './node/shop.ts';

const page = 'docs/guides/upgrade-with-a-canary.md';
/** What each block of commands of the page is for, in their order. */
const purposes = ['install', 'check', 'move', 'see', 'move back', 'upgrade', 'remove', 'uninstall'] as const;
const status = 'kubectl rollout status deployment --timeout 90s --namespace';

interface LoadResult {
  /** By the name of the pod that answered. */
  readonly answers: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
}

describeMesh('an installed mesh whose pods run as their manifests say', () => {
  let mesh: InstalledMesh;
  let loads = 0;
  const scripts = new Map<string, string>();

  beforeAll(async () => {
    const steps = guideSteps(page).map((step) => (step.kind === 'run' ? step.script : ''));
    expect(steps).toHaveLength(purposes.length);
    for (const [i, purpose] of purposes.entries()) scripts.set(purpose, steps[i] ?? '');
    mesh = await InstalledMesh.start();
    await install();
    await writeFile(join(mesh.cluster.folder, 'shop.json'), JSON.stringify(shop));
    await shell('kubectl apply -f shop.json');
    await mesh.nameServices(['mesh-system', 'shop']);
    for (const namespace of ['shop', 'clients', 'edge']) await shell(`${status} ${namespace}`);
  }, 600_000);
  afterAll(() => mesh?.close());

  /**
   * Commands as on the page: `meshd` is the program, with one replica, and `kubectl` an administrator's. The node starts no
   * programs in pods for `kubectl exec`: what stands behind its `--` runs here, and asks the canary's debug socket.
   */
  async function shell(script: string): Promise<string> {
    const { cluster } = mesh;
    const kubeconfig = cluster.kubeconfig('admin', cluster.adminToken);
    const functions = `set -eo pipefail
kubectl() {
  if [ "$1" = exec ]; then
    while [ "$1" != -- ]; do shift; done
    "\${@:2}" --socket '${mesh.plane('canary')?.socket}'
  else
    '${await builtProgram('kubectl')}' --kubeconfig '${kubeconfig}' "$@"
  fi
}
meshd() { '${process.execPath}' '${resolve('dist/meshd.js')}' "$@" $([ "$1" = manifest ] && echo --replicas 1); }
`;
    const options = { cwd: cluster.folder, maxBuffer: 64 << 20 };
    try {
      return (await promisify(execFile)('bash', ['-c', functions + script], options)).stdout;
    } catch (error) {
      throw new Error(`${script}\n${(error as Error).message}\n${mesh.kubelet.problems.join('\n')}`);
    }
  }
  const follow = (purpose: (typeof purposes)[number]): Promise<string> => shell(scripts.get(purpose) ?? '');

  /** Returns once the webhooks are in force. */
  async function install(): Promise<void> {
    await shell(`meshd manifest | kubectl apply -f -; ${status} mesh-system`);
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/mesh-validator';
    const isInForce = async (): Promise<true | undefined> =>
      (await mesh.cluster.api.must('GET', path)).webhooks[0].failurePolicy === 'Fail' || undefined;
    const otherwise = async (): Promise<string> =>
      `the API server does not ask meshd: ${mesh.plane('default')?.output}`;
    await until(isInForce, { timeoutMs: 60_000, everyMs: 100, otherwise });
  }

  /** The one pod of a Deployment, once those before it have ended. */
  function only(namespace: string, app: string): Promise<RunningPod> {
    const one = async (): Promise<RunningPod | undefined> => {
      const pods = mesh.podsOf(namespace, app);
      return pods.length === 1 ? pods[0] : undefined;
    };
    const otherwise = async (): Promise<string> => `${mesh.podsOf(namespace, app).length} pods of ${app}`;
    return until(one, { timeoutMs: 60_000, otherwise });
  }
  const all = () => Promise.all([only('shop', 'web'), only('clients', 'client'), only('edge', 'gateway')]);
  const revisionOf = async (namespace: string, app: string): Promise<string | undefined> =>
    (await only(namespace, app)).pod.metadata.labels?.['mesh.io/rev'];

  /** Names of the workloads whose proxies are connected to a revision. */
  async function proxiesOf(revision: string): Promise<string[]> {
    const answer = await mesh.plane(revision)?.ask<ProxiesAnswer>('/debug/syncz');
    return [...new Set((answer?.proxies ?? []).map(({ proxy }) => proxy.replace(/-[^-]+-[^-]+$/, '')))].sort();
  }
  const untilProxies = (revision: string, proxies: readonly string[]) =>
    expect.poll(() => proxiesOf(revision), { timeout: 20_000 }).toEqual(proxies);
  /** Changes the policy of the service; returns once all proxies of both revisions have it, as its status says. */
  async function changePolicy(proxies: number): Promise<void> {
    const path = '/apis/security.mesh.io/v1/namespaces/shop/authorizationpolicies/callers';
    const spec = { rules: [{ from: [{ source: { namespaces: ['clients', 'edge', 'shop'] } }] }] };
    await mesh.cluster.api.must('PATCH', path, { spec }, 'application/merge-patch+json');
    const message = async (): Promise<string> => {
      const { status, metadata } = await mesh.cluster.api.must('GET', path);
      const conditions = (status?.conditions ?? []) as readonly Readonly<Record<string, unknown>>[];
      const reached = conditions.find(({ type }) => type === 'Distributed');
      return reached?.observedGeneration === metadata.generation ? String(reached?.message) : '';
    };
    await expect.poll(message, { timeout: 20_000 }).toMatch(new RegExp(`^${proxies}/${proxies} `));
  }

  async function load(url: string, network?: string): Promise<() => Promise<LoadResult>> {
    loads += 1;
    const output = join(mesh.sandbox.folder, `load-${loads}.log`);
    const argv = [node, `${repository}/e2e/cluster/node/load.mjs`, url];
    const program = await mesh.sandbox.start(argv, output, network === undefined ? {} : { network, uid: 1000 });
    return async () => {
      await program.signal('TERM');
      await program.exited;
      return JSON.parse(await readFile(output, 'utf8'));
    };
  }
  /** Calls from the caller, and from outside through the gateway, until the results are asked for. */
  async function loadBoth(): Promise<() => Promise<readonly LoadResult[]>> {
    const [, client, gateway] = await all();
    const ends = [await load('http://web.shop:8000/', client.network), await load(`http://${gateway.ip}:8080/`)];
    return () => Promise.all(ends.map((end) => end()));
  }
  async function curl(url: string, network?: string): Promise<string> {
    const argv = ['curl', '-s', '-m', '30', '-w', ' %{http_code}', url];
    return (await mesh.sandbox.run(argv, network === undefined ? {} : { network, uid: 1000 })).stdout;
  }

  test('lets a caller, and a gateway, call a service by mutual TLS, and nobody else', async () => {
    const [web, client, gateway] = await all();
    // A proxy that was ready before the service had an endpoint hears of it afterwards.
    const answers = (url: string, pattern: RegExp, network?: string): Promise<void> =>
      eventually(async () => expect(await curl(url, network)).toMatch(pattern));
    await answers('http://web.shop:8000/', /spiffe:\/\/cluster\.local\/ns\/clients\/sa\/client.* 200$/, client.network);
    await answers(`http://${gateway.ip}:8080/`, /spiffe:\/\/cluster\.local\/ns\/edge\/sa\/gateway.* 200$/);
    expect(await curl(`http://${web.ip}:8080/`)).toBe(' 000');
    expect(mesh.kubelet.problems).toEqual([]);
  });

  test('loses no request while a namespace moves to a canary and back, and both are upgraded', async () => {
    const results = await loadBoth();
    await follow('install');
    await mesh.nameServices(['mesh-system']);
    expect(await follow('check')).toMatch(/^ {2}inputs +valid$/m);
    await untilProxies('default', ['clients/client', 'edge/gateway', 'shop/web']);
    await follow('move');
    expect(await revisionOf('shop', 'web')).toBe('canary');
    expect(await follow('see')).toMatch(/web-.*canary/);
    await untilProxies('canary', ['shop/web']);
    await untilProxies('default', ['clients/client', 'edge/gateway']);
    await changePolicy(3);
    await follow('move back');
    expect(await revisionOf('shop', 'web')).toBe('default');
    await untilProxies('canary', []);
    await follow('upgrade');
    expect(await follow('remove')).not.toMatch(/web-/);
    const left = () => shell('kubectl get deployment,service,mutatingwebhookconfiguration,clusterrole -A -o name');
    await expect.poll(left, { timeout: 20_000, interval: 1_000 }).not.toMatch(/canary/);
    // By the pods of the three rollouts.
    for (const { failures, answers } of await results())
      expect([failures, Object.keys(answers).length]).toEqual([[], 3]);
    expect(mesh.kubelet.problems).toEqual([]);
  }, 600_000);

  test('keeps objects, trust and traffic when it is uninstalled and installed again', async () => {
    const results = await loadBoth();
    await follow('uninstall');
    expect((await only('shop', 'web')).pod.spec.initContainers).toBeUndefined();
    expect(await shell('kubectl get peerauthentications,authorizationpolicies -A -o name')).toMatch(
      /strict\n.*callers/,
    );
    const hasEnded = async (): Promise<true | undefined> => mesh.plane('default') === undefined || undefined;
    await until(hasEnded, { timeoutMs: 60_000, otherwise: async () => 'meshd goes on running' });
    await install();
    await shell('kubectl label namespace shop mesh-injection=enabled');
    await shell(`kubectl rollout restart deployment --namespace shop; ${status} shop`);
    const [web, client] = await all();
    expect(await curl(`http://${web.ip}:8080/`)).toBe(' 000');
    expect(await curl('http://web.shop:8000/', client.network)).toMatch(/sa\/client.* 200$/);
    for (const { failures, answers } of await results())
      expect([failures, Object.keys(answers).length]).toEqual([[], 3]);
    expect(mesh.kubelet.problems).toEqual([]);
  }, 600_000);
});
