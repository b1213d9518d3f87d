import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../../../compiler/compile.ts';
import { readSettings } from '../../../config/read.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { versionOf } from '../../../output/served-versions.ts';
import { createMeshCa } from '../../../testing/certificates.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { Cluster } from '../../../testing/kubernetes/cluster.ts';
import { undefine } from '../../../testing/kubernetes/definitions.ts';
import { defineGatewayApi, standardDefinitions } from '../../../testing/kubernetes/gateway-api.ts';
import { adminKubectl } from '../../../testing/kubernetes/kubectl.ts';
import { grant } from '../../../testing/kubernetes/rights.ts';
import { type ConfigurationList, configurationTypes } from '../../../xds/aggregated-service.ts';
import { secretTypeUrl } from '../../../xds/secret-service.ts';
import { standardGroup, standardObject, standardPath, startEdgeCluster } from '../../testing/edge-cluster.ts';
import { type RawStream, ServingBench, textOf } from '../../testing/serving-bench.ts';
import { followedKinds } from './kinds.ts';

const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];
const route = (name: string, prefix: string) =>
  standardObject('HTTPRoute', name, {
    parentRefs: [{ name: 'edge' }],
    rules: [{ matches: [{ path: { type: 'Exact', value: prefix } }], backendRefs: [{ name: 'httpbin', port: 8000 }] }],
  });
const listeners = [
  { name: 'http', port: 80, protocol: 'HTTP' },
  { name: 'tls', port: 443, protocol: 'TLS', tls: { mode: 'Passthrough' } },
];
const merge = 'application/merge-patch+json';

describe('the Gateway API in a Kubernetes cluster', () => {
  let cluster: Cluster;
  let bench: ServingBench;
  let stream: RawStream;

  beforeAll(async () => {
    cluster = await startEdgeCluster(listeners);
    const { api } = cluster;
    await api.must('POST', standardPath('httproutes'), route('first', '/first'));
    const backendRefs = [{ name: 'httpbin', port: 8000 }];
    const tls = { parentRefs: [{ name: 'edge' }], hostnames: ['tls.example.com'], rules: [{ backendRefs }] };
    await api.must('POST', standardPath('tlsroutes', 'v1alpha2'), standardObject('TLSRoute', 'tls', tls, 'v1alpha2'));
    bench = await ServingBench.create();
    const token = await cluster.accountToken('mesh-system', 'meshd');
    const address = { kubeconfig: cluster.kubeconfig('meshd', token), context: undefined };
    // Addresses of loopback are no endpoints to Kubernetes, so that the test cannot come from its pod's.
    await bench.start({
      takesAnyAddress: true,
      compile: {
        source: { type: 'cluster', address, namespaces: [], slices: false, gatewayApi: true },
        readsGatewayApi: true,
      },
    });
    await eventually(() => expect(bench.logged('info')).toContain('configuration compiled'));
    stream = bench.open(await bench.identity('foo/edge'));
    const id = 'router~127.0.0.1~edge.foo~foo.svc.cluster.local';
    for (const list of ['clusters', 'listeners'] as const) stream.subscribe(list, id);
    const names = ['http.80'];
    stream.ask({ type_url: configurationTypes.routes.typeUrl, resource_names_subscribe: names });
    await eventually(() => expect(routes()).toContain('/first'));
  });
  afterAll(async () => {
    await bench?.close();
    await cluster?.close();
  });

  /** The routes that the gateway was sent last. */
  const routes = (): string => {
    const sent = stream.seen.filter(({ type_url }) => type_url === configurationTypes.routes.typeUrl);
    return sent.length === 0 ? '' : textOf(sent.at(-1));
  };
  /** List, name and version of each resource that the gateway has now. */
  const resources = (): Record<string, string> => {
    const now = new Map<string, string>();
    for (const { type_url, resources: sent = [], removed_resources: gone = [] } of stream.seen) {
      const list = lists.find((name) => configurationTypes[name].typeUrl === type_url);
      for (const { name, version } of sent) now.set(`${list}/${name}`, version);
      for (const name of gone) now.delete(`${list}/${name}`);
    }
    return Object.fromEntries(now);
  };

  test('gives a gateway what a compilation of the output of kubectl gives, also of kinds in an older version', async () => {
    const text = await outputOf(cluster);
    expect(text).toContain(`${standardGroup}/v1alpha2`);
    const bag = new DiagnosticBag();
    const { settings } = await readSettings({ environment: {} }, bag);
    const { configs = [] } =
      createCompiler({ settings, delivery: 'ads' }).compile([{ path: 'all.yaml', text }], 'all', bag) ?? {};
    const config = configs.find(({ workload }) => workload === 'edge') ?? expect.fail('no gateway');
    const expected = (['clusters', 'listeners', 'routes'] as const).flatMap((list) =>
      config[list].map((resource) => [`${list}/${resource.name}`, versionOf(resource)] as const),
    );
    expect(JSON.stringify(config.listeners)).toContain('tls.example.com');
    await eventually(() => expect(resources()).toEqual(Object.fromEntries(expected)));
  });

  test('holds the last valid version of a route, and lets go a route that is deleted', async () => {
    const { api } = cluster;
    const patched = (prefix: string) =>
      api.must('PATCH', `${standardPath('httproutes')}/first`, route('first', prefix), merge);
    await patched('first');
    await eventually(() => expect(bench.logged('error')).toMatch(/HTTPRoute\/foo\/first.*path-of-no-request/s));
    await api.must('POST', standardPath('httproutes'), route('second', '/second'));
    await eventually(() => expect(routes()).toContain('/second'));
    expect(routes()).toContain('/first');
    await patched('/changed');
    await eventually(() => expect(routes()).toContain('/changed'));
    await api.must('DELETE', `${standardPath('httproutes')}/second`);
    await eventually(() => expect(routes()).not.toContain('/second'));
  });

  test('gives the gateway the Secret that a listener names, once its account has the right to it', async () => {
    const { api } = cluster;
    const { certificateChain, privateKey } = await (await createMeshCa()).issue('', { dnsNames: ['example.com'] });
    const stringData = { 'tls.crt': certificateChain, 'tls.key': privateKey };
    const secret = { metadata: { name: 'shown' }, type: 'kubernetes.io/tls', stringData };
    await api.must('POST', '/api/v1/namespaces/foo/secrets', secret);
    const rule = { apiGroups: [''], resources: ['secrets'], resourceNames: ['shown'] };
    const named = { name: 'shown', namespace: 'foo' };
    await grant(cluster, 'mesh-system/meshd', { ...named, rules: [{ ...rule, verbs: ['list', 'watch'] }] });
    const https = { name: 'https', port: 8443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'shown' }] } };
    await api.must('PATCH', `${standardPath('gateways')}/edge`, { spec: { listeners: [...listeners, https] } }, merge);
    await eventually(() =>
      expect(bench.logged('warn')).toMatch(/account foo\/edge are not given the Secret foo\/shown/),
    );
    await grant(cluster, 'foo/edge', { ...named, name: 'edge', rules: [{ ...rule, verbs: ['get'] }] });
    stream.ask({ type_url: secretTypeUrl, resource_names_subscribe: ['kubernetes://shown'] });
    const secrets = () =>
      stream.seen.filter(({ type_url }) => type_url === secretTypeUrl).flatMap((it) => it.resources ?? []);
    await eventually(() => expect(secrets().map(({ name }) => name)).toEqual(['kubernetes://shown']));
  });

  test('holds the routes of a definition that is deleted, until it is defined again', async () => {
    await undefine(cluster, `httproutes.${standardGroup}`);
    const held = (count: string) =>
      eventually(async () =>
        expect(await bench.metric(`meshd_registry_held_objects{kind="HTTPRoute",group="${standardGroup}"}`)).toBe(
          count,
        ),
      );
    await held('1');
    expect(routes()).toContain('/changed');
    await defineGatewayApi(
      cluster,
      standardDefinitions.filter(({ kind }) => kind === 'HTTPRoute'),
    );
    await cluster.api.must('POST', standardPath('httproutes'), route('first', '/again'));
    await eventually(() => expect(routes()).toContain('/again'));
    await held('0');
  });
});

/** What `kubectl get -A -o yaml` prints of the kinds that are followed. */
async function outputOf(cluster: Cluster): Promise<string> {
  const names = followedKinds({ slices: false, gatewayApi: true })
    .filter(({ type }) => !type.group.endsWith('istio.io'))
    .map(({ type }) => (type.group === '' ? type.resource : `${type.resource}.${type.group}`));
  const kubectl = await adminKubectl(cluster);
  return kubectl(['get', '-A', '-o', 'yaml', names.join()]);
}
