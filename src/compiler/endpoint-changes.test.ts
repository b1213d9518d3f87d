import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { isSameList } from '../diagnostics/kept.ts';
import type { SourceFile } from '../source/document.ts';
import { runs } from '../testing/effort.ts';
import { type Compiler, createCompiler } from './compile.ts';
import type { Delivery, EnvoyConfig, Resource } from './render/resource.ts';

interface Mesh {
  /** Service accounts of pods, by name. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** Pods that are not ready, as they say themselves. */
  readonly unready?: readonly string[];
  /** Pods that are not ready by the record of the service `recorded`. */
  readonly recordedUnready?: readonly string[];
}

/** Two pods behind services by labels (with an address and without), one behind a recorded service; and a client. */
function filesOf({ accounts, unready = [], recordedUnready = [] }: Mesh): SourceFile[] {
  const pods = Object.entries({ 'web-1': 'web', 'web-2': 'web', 'client-1': 'client', ...accounts }).map(
    ([name, account], i) =>
      file(
        name,
        `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: ${name.split('-')[0]}}}
spec: {serviceAccountName: ${account}, containers: [{name: app}, {name: mesh-proxy}]}
status: {podIP: 10.1.0.${i + 1}, conditions: [{type: Ready, status: "${unready.includes(name) ? 'False' : 'True'}"}]}
`,
      ),
  );
  const endpoints = ['web-1', 'web-2'].map(
    (name, i) =>
      `{addresses: [10.1.0.${i + 1}], conditions: {ready: ${!recordedUnready.includes(name)}}, targetRef: {kind: Pod, name: ${name}}}`,
  );
  const slice = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: recorded-1, namespace: shop, labels: {kubernetes.io/service-name: recorded}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints: [${endpoints}]
`;
  return [...pods, ...services, file('slice', slice)];
}

const services = [
  service('web', 'clusterIP: 10.96.0.1, selector: {app: web}'),
  service('each', 'clusterIP: None, selector: {app: web}'),
  service('recorded', 'clusterIP: 10.96.0.2'),
  service('nobody', 'clusterIP: 10.96.0.3, selector: {app: nobody}'),
];

function service(name: string, spec: string): SourceFile {
  return file(
    `service-${name}`,
    `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop}
spec: {ports: [{name: http, port: 8080}], ${spec}}
`,
  );
}

function file(name: string, text: string): SourceFile {
  return { path: `${name}.yaml`, text };
}

/** Compiles two versions for all pods: resources of the second that are other objects, or whose text is another. */
function changesOf(delivery: Delivery, first: Mesh, second: Mesh) {
  const compiler = createCompiler({ settings: defaultSettings, delivery });
  const [one, two] = [first, second].map((mesh) => compiled(compiler, mesh)) as [EnvoyConfig[], EnvoyConfig[]];
  const before = new Map(one.flatMap(named));
  const after = new Map(two.flatMap(named));
  const known = new Set(before.values());
  const names = (isChanged: (resource: Resource, name: string) => boolean): string[] => {
    const found = [...after].filter(([name, resource]) => before.has(name) && isChanged(resource, name));
    return [...new Set(found.map(([, { type, name }]) => `${type} ${name}`))].sort();
  };
  return {
    made: names((resource) => !known.has(resource)),
    changed: names((resource, name) => resource.text !== before.get(name)?.text),
    isSharedSame: two.every(({ shared }, i) => shared === one[i]?.shared),
    areListsSame: two.every(({ listeners, clusters, routes }, i) =>
      isSameList([listeners, clusters, routes], [one[i]?.listeners, one[i]?.clusters, one[i]?.routes]),
    ),
    jsonOf: (wanted: string) => after.get(`client-1 ${wanted}`)?.json,
  };
}

function compiled(compiler: Compiler, mesh: Mesh): readonly EnvoyConfig[] {
  const bag = new DiagnosticBag();
  const configs = compiler.compile(filesOf(mesh), 'all', bag)?.configs ?? [];
  expect(bag.all.filter(({ severity }) => severity === 'error')).toEqual([]);
  return configs;
}

function named({ workload, bootstrap, listeners, clusters, routes, endpoints }: EnvoyConfig): [string, Resource][] {
  return [bootstrap, ...listeners, ...clusters, ...routes, ...endpoints].map((resource) => [
    `${workload} ${resource.type} ${resource.name}`,
    resource,
  ]);
}

const web = 'outbound|8080||web.shop.svc.cluster.local';
const recorded = 'outbound|8080||recorded.shop.svc.cluster.local';

describe('with delivery ads', () => {
  test.each<[string, Mesh, Mesh]>([
    ['one endpoint of two', {}, { recordedUnready: ['web-1'] }],
    ['the last endpoint', { recordedUnready: ['web-2'] }, { recordedUnready: ['web-1', 'web-2'] }],
    ['an endpoint that was not ready at first', { recordedUnready: ['web-1', 'web-2'] }, {}],
  ])('the readiness of %s makes anew the endpoints of its service, and nothing else', (_what, first, second) => {
    const { made, isSharedSame, areListsSame } = changesOf('ads', first, second);
    expect(made).toEqual([`endpoints ${recorded}`]);
    expect({ isSharedSame, areListsSame }).toEqual({ isSharedSame: true, areListsSame: true });
  });

  test.each<[string, Mesh, Mesh, string[]]>([
    ['of one pod of two', {}, { unready: ['web-1'] }, [`endpoints ${web}`]],
    ['of the last pod', { unready: ['web-2'] }, { unready: ['web-1', 'web-2'] }, [`endpoints ${web}`]],
    ['of a pod without services', {}, { unready: ['client-1'] }, []],
  ])('the readiness %s, as it says itself, changes no cluster, listener or route', (_what, first, second, expected) => {
    const { made, changed } = changesOf('ads', first, second);
    expect(changed).toEqual(expected);
    expect(made.filter((name) => name.startsWith('cluster ') && !name.includes('inbound|'))).toEqual([]);
  });

  test('a new pod of a known identity changes the endpoints of its service, and no cluster', () => {
    expect(changesOf('ads', {}, { accounts: { 'web-3': 'web' } }).changed).toEqual([`endpoints ${web}`]);
  });

  test('a new identity is one that the cluster takes before its pod is ready', () => {
    const { changed, jsonOf } = changesOf('ads', {}, { accounts: { 'web-3': 'other' }, unready: ['web-3'] });
    expect(changed).toEqual(['cluster outbound|8080||each.shop.svc.cluster.local', `cluster ${web}`]);
    expect(JSON.stringify(jsonOf(`cluster ${web}`))).toContain('spiffe://cluster.local/ns/shop/sa/other');
  });

  test.each<[Delivery, boolean]>([
    ['ads', true],
    ['files', false],
  ])('a cluster of a service without endpoints (%s) accepts nobody where endpoints come without it: %s', (form, is) => {
    const { jsonOf } = changesOf(form, {}, {});
    const matcher =
      /"match_typed_subject_alt_names":\[\{"san_type":"URI","matcher":\{"exact":"spiffe:\/\/nobody.invalid\/"\}\}\]/;
    const text = JSON.stringify(jsonOf('cluster outbound|8080||nobody.shop.svc.cluster.local'));
    expect([text.includes('ROOTCA'), matcher.test(text)]).toEqual([true, is]);
  });

  test('a cluster names the control plane, and its endpoints are a resource of its name', () => {
    const { jsonOf } = changesOf('ads', {}, {});
    const cluster = jsonOf(`cluster ${web}`);
    expect(cluster).toMatchObject({ type: 'EDS', eds_cluster_config: { eds_config: { ads: {} } } });
    expect(cluster).not.toHaveProperty('load_assignment');
    const addresses = JSON.stringify(jsonOf(`endpoints ${web}`)).match(/10\.1\.0\.\d/g);
    expect(addresses).toEqual(['10.1.0.1', '10.1.0.2']);
  });
});

test('with delivery files the readiness of an endpoint makes anew the cluster of its service, and nothing else', () => {
  expect(changesOf('files', {}, { recordedUnready: ['web-1'] }).made).toEqual([`cluster ${recorded}`]);
});

test('a compiler that remembers gives after each change of endpoints what a fresh one gives', () => {
  const account = fc.option(fc.constantFrom('web', 'other'), { nil: undefined });
  const pods = fc.subarray(['web-1', 'web-2', 'web-3', 'web-4']);
  const state = fc.tuple(account, account, pods, pods).map(([third, fourth, unready, recordedUnready]): Mesh => {
    const accounts = { ...(third && { 'web-3': third }), ...(fourth && { 'web-4': fourth }) };
    return { accounts, unready, recordedUnready };
  });
  const textsOf = (compiler: Compiler, mesh: Mesh): (readonly [string, string])[] =>
    compiled(compiler, mesh).flatMap((config) => named(config).map(([name, { text }]) => [name, text] as const));
  const property = fc.property(
    fc.constantFrom<Delivery>('ads', 'files'),
    fc.array(state, { minLength: 2, maxLength: 6 }),
    (delivery, states) => {
      const fresh = () => createCompiler({ settings: defaultSettings, delivery });
      const kept = fresh();
      for (const mesh of states) expect(textsOf(kept, mesh)).toEqual(textsOf(fresh(), mesh));
    },
  );
  fc.assert(property, runs(12));
});
