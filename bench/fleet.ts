import type { Compilation } from '../src/compiler/compilation.ts';
import { type Compiler, createCompiler } from '../src/compiler/compile.ts';
import type { Change } from '../src/compiler/object-store.ts';
import type { Resource } from '../src/compiler/render/resource.ts';
import { defaultSettings } from '../src/config/defaults.ts';
import { DiagnosticBag } from '../src/diagnostics/bag.ts';
import type { MeshObject } from '../src/policy/object.ts';
import { keyOf } from '../src/policy/object-key.ts';
import { readObjects } from './compiling-one.ts';
import { line, median, ms } from './measure.ts';
import { generateMesh, workloadPolicy } from './mesh.ts';

const size = { services: 1000, workloads: 1000, namespaces: 10 };

/** `update` of a mesh of 1,000 services for 1,000 proxies in the form of a control plane: each change by itself (19). */
export function changingFleet(): void {
  const files = generateMesh(size);
  const objects = [...readObjects(files), slice(true)];
  const fleet = new Fleet();
  fleet.time('first compilation', [objects.map(put)]);
  fleet.time(
    'nothing changed',
    repeated(9, () => []),
  );
  const flips = repeated(10, (i) => [put(slice(i % 2 === 1))]);
  fleet.time('an endpoint becomes ready, or no longer is (EndpointSlice)', flips);
  const pod = files.find(({ path }) => path === 'pod-7.yaml')?.text ?? '';
  const pods = ['"False"', '"True"'].map((ready) => one(pod.replace('"True"', ready)));
  fleet.time(
    'the same, as its Pod says it',
    repeated(10, (i) => [put(pods[i % 2] as MeshObject<string>)]),
  );
  const modes = ['STRICT', 'PERMISSIVE', 'DISABLE'];
  const inTurn = <T>(texts: readonly T[], i: number): T => texts[i % texts.length] as T;
  fleet.time(
    "a workload's policy",
    repeated(9, (i) => [put(one(workloadPolicy(7, size, inTurn(modes, i)).text))]),
  );
  const clients = ['ns-1', 'ns-2', 'ns-4'];
  fleet.time(
    "a namespace's access rules (100 proxies)",
    repeated(9, (i) => [put(one(namespaceAccess(inTurn(clients, i))))]),
  );
  fleet.time(
    "a namespace's mode (100 proxies, 100 services)",
    repeated(9, (i) => [put(one(namespaceMode(inTurn(modes, i))))]),
  );
  const rule = files.find(({ path }) => path === 'rule-0.yaml')?.text ?? '';
  fleet.time(
    'a DestinationRule',
    repeated(9, (i) => [put(one(rule.replace('100', String(70 + i))))]),
  );
  const service = one(files.find(({ path }) => path === 'service-5.yaml')?.text ?? '');
  fleet.time(
    'a Service goes, or comes',
    repeated(8, (i) => [i % 2 === 0 ? { key: keyOf(service), object: undefined } : put(service)]),
  );
}

/** A compiler and what it gave last. */
class Fleet {
  readonly #compiler: Compiler = createCompiler({ settings: defaultSettings, delivery: 'ads' });
  #resources: ReadonlySet<Resource> = new Set();

  /** The first batch of several warms up. */
  time(what: string, batches: readonly (readonly Change[])[]): void {
    const [wall, processor, made]: [number[], number[], number[]] = [[], [], []];
    for (const batch of batches) {
      const begin = process.cpuUsage();
      const start = performance.now();
      const compilation = this.#update(batch);
      wall.push(performance.now() - start);
      const { user, system } = process.cpuUsage(begin);
      processor.push((user + system) / 1000);
      made.push(this.#take(compilation));
    }
    const of = (figures: readonly number[]): number => median(figures.slice(batches.length > 1 ? 1 : 0));
    line(what, ms(of(wall)), `${ms(of(processor))} of processors`, `${of(made)} resources made`);
  }

  #update(batch: readonly Change[]): Compilation {
    const bag = new DiagnosticBag();
    const compilation = this.#compiler.update(batch, 'all', bag);
    if (compilation === undefined)
      throw new Error(JSON.stringify(bag.all.find(({ severity }) => severity === 'error')));
    return compilation;
  }

  /** How many resources were not there before. */
  #take({ configs }: Compilation): number {
    const lists = new Set(
      configs.flatMap(({ own, shared, ownEndpoints, sharedEndpoints }) => [
        ...[own, shared].flatMap(({ listeners, clusters, routes }) => [listeners, clusters, routes]),
        ...[ownEndpoints, sharedEndpoints],
      ]),
    );
    const resources = new Set([...configs.map(({ bootstrap }) => bootstrap), ...[...lists].flat()]);
    const made = [...resources].filter((resource) => !this.#resources.has(resource)).length;
    this.#resources = resources;
    return made;
  }
}

function repeated(count: number, batch: (i: number) => readonly Change[]): readonly (readonly Change[])[] {
  return Array.from({ length: count }, (_, i) => batch(i));
}

function put(object: MeshObject<string>): Change {
  return { key: keyOf(object), object };
}

function one(text: string): MeshObject<string> {
  const [object] = readObjects([{ path: 'changed.yaml', text }]);
  if (object === undefined) throw new Error(`no object in ${text}`);
  return object;
}

function slice(isReady: boolean): MeshObject<string> {
  return one(`apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: svc-7-a, namespace: ns-7, labels: {kubernetes.io/service-name: svc-7}}
addressType: IPv4
ports: [{name: http, port: 8080}, {name: grpc, port: 9000}, {name: tcp-data, port: 7007}]
endpoints: [{addresses: [10.128.0.7], conditions: {ready: ${isReady}}, targetRef: {kind: Pod, name: p-7}}]
`);
}

function namespaceMode(mode: string): string {
  return `apiVersion: security.mesh.io/v1beta1
kind: PeerAuthentication
metadata: {name: default, namespace: ns-3}
spec: {mtls: {mode: ${mode}}}
`;
}

function namespaceAccess(client: string): string {
  return `apiVersion: security.mesh.io/v1beta1
kind: AuthorizationPolicy
metadata: {name: callers, namespace: ns-3}
spec: {rules: [{from: [{source: {namespaces: [${client}]}}]}]}
`;
}
