import { execFile } from 'node:child_process';
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeBlocks } from '../../scripts/docs/code-blocks.ts';
import { until } from '../../src/testbed/until.ts';
import { type Cluster, issuer, startCluster, usualControllers } from '../../src/testing/kubernetes/cluster.ts';
import { define, defineIstioKind } from '../../src/testing/kubernetes/definitions.ts';
import { builtProgram } from '../../src/testing/kubernetes/programs.ts';

/** Kinds that a release of Istio has and that have no definition here. */
const furtherKinds = [
  { group: 'networking.istio.io', kind: 'EnvoyFilter', resource: 'envoyfilters' },
  { group: 'extensions.istio.io', kind: 'WasmPlugin', resource: 'wasmplugins' },
  { group: 'telemetry.istio.io', kind: 'Telemetry', resource: 'telemetries' },
] as const;
const kinds = {
  'security.istio.io': ['PeerAuthentication', 'RequestAuthentication', 'AuthorizationPolicy'],
  'networking.istio.io': [
    ...['DestinationRule', 'VirtualService', 'Gateway', 'Sidecar', 'ServiceEntry', 'WorkloadEntry', 'WorkloadGroup'],
    'ProxyConfig',
  ],
} as const;

/** A cluster with what an installation of Istio has, and one pod with a proxy. */
const objects = `apiVersion: v1
kind: Namespace
metadata: {name: istio-system}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: istio, namespace: istio-system}
data: {mesh: "trustDomain: example.org\\nenableAutoMtls: true\\n"}
---
apiVersion: v1
kind: Namespace
metadata: {name: books, labels: {istio-injection: enabled}}
---
apiVersion: v1
kind: Pod
metadata: {name: reviews, namespace: books, labels: {app: reviews}}
spec:
  containers: [{name: reviews, image: reviews, ports: [{name: http, containerPort: 9080}]}]
---
apiVersion: security.istio.io/v1beta1
kind: PeerAuthentication
metadata: {name: default, namespace: books}
spec: {mtls: {mode: STRICT}}
---
apiVersion: networking.istio.io/v1beta1
kind: EnvoyFilter
metadata: {name: headers, namespace: books}
spec: {configPatches: []}
`;

/** A pod needs it; a controller makes it. */
const account = '/api/v1/namespaces/books/serviceaccounts/default';

describe('the commands for kubectl in the guides, on a real API server', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: usualControllers });
    const types = Object.entries(kinds).flatMap(([group, names]) => names.map((kind) => ({ group, kind })));
    await Promise.all(types.map((type) => define(cluster, type)));
    await Promise.all(furtherKinds.map((kind) => defineIstioKind(cluster, kind)));
    for (const name of ['deploy', 'dist']) await symlink(resolve(name), join(cluster.folder, name));
    await writeFile(join(cluster.folder, 'objects.yaml'), objects);
    // The controller gives a namespace its account, which a pod needs.
    await shell('kubectl create namespace books');
    await until(async () => (await cluster.api.ask('GET', account)).status === 200 || undefined, {
      timeoutMs: 60_000,
      otherwise: async () => 'the namespace has no account',
    });
    await shell('kubectl apply -f objects.yaml');
    const status = { podIP: '10.1.2.3', conditions: [{ type: 'Ready', status: 'True' }] };
    await cluster.api.must(
      'PATCH',
      '/api/v1/namespaces/books/pods/reviews/status',
      { status },
      'application/merge-patch+json',
    );
  }, 600_000);
  afterAll(() => cluster?.close());

  /** Commands as on a page, in the cluster's folder; `kubectl` is an administrator's. Throws if one fails. */
  async function shell(script: string): Promise<string> {
    const kubeconfig = cluster.kubeconfig('admin', cluster.adminToken);
    const program = (name: string): string =>
      `${name}() { '${process.execPath}' '${resolve(`dist/${name}.js`)}' "$@"; }`;
    const kubectl = `kubectl() { '${await builtProgram('kubectl')}' --kubeconfig '${kubeconfig}' "$@"; }`;
    const lines = ['set -eo pipefail', kubectl, program('meshpol'), program('meshd'), script];
    const options = { cwd: cluster.folder, maxBuffer: 64 << 20 };
    return (await promisify(execFile)('bash', ['-c', lines.join('\n')], options)).stdout;
  }
  /** The one block of commands of a guide that has this text. */
  async function commandsOf(guide: string, text: string): Promise<string> {
    const blocks = codeBlocks(await readFile(`docs/guides/${guide}.md`, 'utf8'));
    const [script, ...others] = blocks.flatMap((block) => (block.text.includes(text) ? [block.text] : []));
    expect([typeof script, others]).toEqual(['string', []]);
    return script ?? '';
  }
  const folders = (path: string): Promise<string[]> => readdir(join(cluster.folder, path));

  test('compile what a cluster with Istio has, with the mesh configuration of Istio', async () => {
    await shell(await commandsOf('from-istio', 'meshpol compile mesh.yaml'));
    expect(await readFile(join(cluster.folder, 'mesh-config.yaml'), 'utf8')).toContain('trustDomain: example.org');
    expect(await folders('out/books/reviews')).toContain('listeners.json');
    const mesh = JSON.parse(await readFile(join(cluster.folder, 'out/mesh.json'), 'utf8'));
    expect(JSON.stringify(mesh)).toContain('spiffe://example.org/ns/books/sa/default');
    const origins = await readFile(join(cluster.folder, 'out/books/reviews/origins.json'), 'utf8');
    expect(origins).toContain('spec.mtls.mode');
    expect(await shell(await commandsOf('from-istio', 'get -A envoyfilters'))).toMatch(
      /^books +envoyfilter\S*\/headers/m,
    );
  });

  test('get what meshpol needs to know which proxy wrote a line of the log', async () => {
    for (const guide of ['why-am-i-denied', 'try-a-policy']) {
      const [line = ''] = (await commandsOf(guide, 'kubectl get pods,services,namespaces')).split('\n');
      await rm(join(cluster.folder, 'mesh.yaml'), { force: true });
      await shell(line);
      expect(await shell('meshpol describe books/reviews mesh.yaml')).toContain('10.1.2.3');
    }
  });

  test('create the pod of the guide about containers, and the objects that it needs', async () => {
    const printed = await shell(await commandsOf('pilot-agent-containers', 'kubectl apply -f deploy/mesh.yaml'));
    expect(printed.split('\n')).toContain('pod/web created');
    expect(printed.split('\n').filter((line) => !/^$| created$/.test(line))).toEqual([]);
  });

  test('print the issuer of a cluster and the keys that verify its tokens', async () => {
    const printed = await shell(await commandsOf('pilot-agent-containers', 'kubectl get --raw'));
    expect(JSON.parse(printed).issuer).toBe(issuer);
    const { keys } = JSON.parse(await readFile(join(cluster.folder, 'keys.json'), 'utf8'));
    const token = await cluster.accountToken('books', 'default');
    await expect(jwtVerify(token, createLocalJWKSet({ keys }), { issuer })).resolves.toBeDefined();
  });

  test('install meshd with an image of its own', async () => {
    const script = await commandsOf('pilot-agent-containers', 'meshd manifest --image');
    // The image is built in e2e/containers.
    const printed = await shell(script.replace(/^podman .*\n/m, ''));
    expect(printed).toContain('deployment.apps/meshd created');
    const { spec } = await cluster.api.must('GET', '/apis/apps/v1/namespaces/mesh-system/deployments/meshd');
    expect(JSON.stringify(spec)).toContain('"image":"meshd:0.1.0"');
  });
});
