import { X509Certificate } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, type ClientDuplexStream, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { gatewayOf, secret } from '../../cli/agent/testing/gateway-objects.ts';
import { httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { decodeMessage } from '../../envoy/api/decode.ts';
import { encodeMessage } from '../../envoy/api/encode.ts';
import { createMeshCa } from '../../testing/certificates.ts';
import { configurationTypes } from '../../xds/aggregated-service.ts';
import { nameType } from '../../xds/name-resources.ts';
import { faultType } from '../../xds/proxy-faults.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import { setType } from '../../xds/whole-sets.ts';
import type { RawRequest } from '../testing/control-bench.ts';
import { type Seen, ServingBench } from '../testing/serving-bench.ts';

const configuration = Object.values(configurationTypes).map(({ typeUrl }) => typeUrl);
const served = [...configuration, secretTypeUrl];
const unknown = ['envoy.service.runtime.v3.Runtime', 'envoy.config.route.v3.ScopedRouteConfiguration', 'of.nobody'];
/** Whatever a client may name: served, served in one form alone, and served to nobody. */
const ownTypes = [setType, faultType.typeUrl, nameType.typeUrl];
const types = [...served, ...ownTypes, ...unknown.map((name) => `type.googleapis.com/${name}`), ''];

/** Both forms of the protocol. */
const forms = {
  DeltaAggregatedResources: { message: 'Delta', names: 'resource_names_subscribe' },
  StreamAggregatedResources: { message: '', names: 'resource_names' },
} as const;
type Method = keyof typeof forms;
const methods = Object.keys(forms) as readonly Method[];

const pod = (name: string, of: string, account = name, ip = '127.0.0.1'): string =>
  httpbinPod(ip)
    .replaceAll('httpbin', name)
    .replace('namespace: foo', `namespace: ${of}`)
    .replace(`serviceAccountName: ${name}`, `serviceAccountName: ${account}`);
/** A gateway's pod and its server. */
const gateway = (of: string): string =>
  objects(
    pod('edge', of)
      .replace('{name: app, ', '{name: mesh-proxy, args: [proxy, router], ')
      .replace('app: edge', 'mesh: ingressgateway'),
    gatewayOf(
      '{port: {number: 8443, name: https, protocol: HTTPS}, hosts: ["*.example.com"], tls: {mode: SIMPLE, credentialName: shop}}',
    ).replace('namespace: foo', `namespace: ${of}`),
  );
const nodeOf = (workload: string): object => ({ id: `sidecar~127.0.0.1~${workload}~foo.svc.cluster.local` });

describe('meshd, asked for each type in both forms', () => {
  let bench: ServingBench;
  const connections: Client[] = [];

  beforeAll(async () => {
    bench = await ServingBench.create();
    const ca = await createMeshCa();
    const secrets = await Promise.all(
      ['foo', 'bar'].map(async (of) => {
        const issued = await ca.issue('', { uris: [], dnsNames: [`shop.${of}`] });
        const text = secret('shop', { certificate: issued.certificateChain, key: issued.privateKey });
        return text.replace('namespace: foo', `namespace: ${of}`);
      }),
    );
    await bench.put(
      'mesh.yaml',
      objects(
        ...[namespace, namespace.replace('name: foo', 'name: bar')],
        ...[pod('httpbin', 'foo'), pod('other', 'foo'), pod('far', 'foo', 'httpbin', '127.0.0.2')],
        ...[gateway('foo'), gateway('bar')],
      ),
    );
    await bench.put('secrets.yaml', secrets.join(''));
    await bench.start({ compile: { tellsNames: true } });
    // Everything is compiled before anybody asks.
    const own = connect(await bench.identity('foo/httpbin'));
    await ask(own, 'DeltaAggregatedResources', configurationTypes.listeners.typeUrl, nodeOf('httpbin.foo'));
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close();
  });
  afterAll(() => bench.close());

  function connect(client?: RawRequest['client']): Client {
    const connection = bench.control.connect(bench.root, client);
    connections.push(connection);
    return connection;
  }

  const asIs = (bytes: Buffer): Buffer => bytes;
  const secretName = 'kubernetes://shop';

  /** One stream with one request: the first response, or the status with which it ends. */
  function ask(connection: Client, method: Method, typeUrl: string, node: object): Promise<Seen | string> {
    const { message, names } = forms[method];
    const path = `/envoy.service.discovery.v3.AggregatedDiscoveryService/${method}`;
    const call: ClientDuplexStream<Buffer, Buffer> = connection.makeBidiStreamRequest(path, asIs, asIs);
    // Types without a wildcard are asked for by names that there are.
    const asked = typeUrl === secretTypeUrl ? [secretName] : [];
    const request = { type_url: typeUrl, node, [names]: asked };
    call.write(Buffer.from(encodeMessage(`envoy.service.discovery.v3.${message}DiscoveryRequest`, request)));
    return new Promise((resolve) => {
      call.on('data', (bytes: Buffer) => {
        call.cancel();
        resolve(decodeMessage(`envoy.service.discovery.v3.${message}DiscoveryResponse`, bytes) as unknown as Seen);
      });
      call.on('error', (error: { code: number }) => resolve(status[error.code] ?? ''));
    });
  }

  /** How each type in each form ends for a client; a response is none of these words. */
  async function endsOf(
    connection: Client,
    workload: string,
    node: object = nodeOf(workload),
  ): Promise<readonly string[]> {
    const asked = methods.flatMap((method) => types.map((type) => ask(connection, method, type, node)));
    const ends = await Promise.all(asked);
    expect(ends).toHaveLength(methods.length * types.length);
    return [...new Set(ends.map((end) => (typeof end === 'string' ? end : `sent ${end.type_url}`)))];
  }

  test('gives nothing to a client without a certificate', async () => {
    expect(await endsOf(connect(), 'httpbin.foo')).toEqual(['UNAUTHENTICATED']);
  });

  test('gives nothing to a client with a certificate of the right name from another CA', async () => {
    const stranger = await (await createMeshCa()).issue('spiffe://cluster.local/ns/foo/sa/httpbin');
    const client = { certificate: stranger.certificateChain, privateKey: stranger.privateKey };
    expect(await endsOf(connect(client), 'httpbin.foo')).toEqual(['UNAUTHENTICATED']);
  });

  test('gives nothing to a client whose certificate has expired, also on a connection from before', async () => {
    const client = await bench.identity('foo/httpbin', 2n);
    const early = connect(client);
    const listeners = configurationTypes.listeners.typeUrl;
    expect(await ask(early, 'DeltaAggregatedResources', listeners, nodeOf('httpbin.foo'))).toMatchObject({
      type_url: listeners,
    });
    await delay(Date.parse(new X509Certificate(client.certificate).validTo) - Date.now() + 1);
    expect(await endsOf(early, 'httpbin.foo')).toEqual(['UNAUTHENTICATED']);
    expect(await endsOf(connect(client), 'httpbin.foo')).toEqual(['UNAUTHENTICATED']);
  });

  test.each([
    ['of another namespace', 'bar/httpbin', 'httpbin.foo'],
    ['of the same name in another namespace, which is a gateway too', 'bar/edge', 'edge.foo'],
    ['of another account of the namespace', 'foo/other', 'httpbin.foo'],
    ['beside a gateway, which it is not', 'foo/other', 'edge.foo'],
    ['of the right account that comes from another address', 'foo/httpbin', 'far.foo'],
  ])('gives nothing to a client %s', async (_name, account, workload) => {
    expect(await endsOf(connect(await bench.identity(account)), workload)).toEqual(['PERMISSION_DENIED']);
  });

  test('gives nothing to a client that names no workload, and after 5 s nothing to one that names an unknown workload', async () => {
    const connection = connect(await bench.identity('foo/httpbin'));
    expect(await endsOf(connection, 'httpbin')).toEqual(['INVALID_ARGUMENT']);
    expect(await endsOf(connection, '', {})).toEqual(['INVALID_ARGUMENT']);
    const began = performance.now();
    expect(await endsOf(connection, 'gone.foo')).toEqual(['UNAVAILABLE']);
    expect(performance.now() - began).toBeGreaterThanOrEqual(4_990);
  });

  test('gives a workload that appears within the wait its configuration, and another account nothing', async () => {
    const [own, other] = [connect(await bench.identity('foo/late')), connect(await bench.identity('foo/other'))];
    const { typeUrl } = configurationTypes.listeners;
    const asked = [own, other].map((by) => ask(by, 'DeltaAggregatedResources', typeUrl, nodeOf('late.foo')));
    await bench.put('late.yaml', pod('late', 'foo'));
    expect(await Promise.all(asked)).toEqual([expect.objectContaining({ type_url: typeUrl }), 'PERMISSION_DENIED']);
  });

  test('refuses a type that is not served, and digests from a client of the state of the world', async () => {
    const connection = connect(await bench.identity('foo/httpbin'));
    const others = types.filter((type) => ![...served, ...ownTypes].includes(type));
    for (const type of others) {
      for (const method of methods) {
        expect(await ask(connection, method, type, nodeOf('httpbin.foo')), type).toBe('INVALID_ARGUMENT');
      }
    }
    expect(await ask(connection, 'StreamAggregatedResources', setType, nodeOf('httpbin.foo'))).toBe('INVALID_ARGUMENT');
  });

  test('has no services for single types, which would bypass the admission', async () => {
    const connection = connect(await bench.identity('foo/edge'));
    const services = ['Secret', 'Listener', 'Cluster', 'Route', 'Endpoint'].flatMap((type) => [
      `/envoy.service.${type.toLowerCase()}.v3.${type}DiscoveryService/Stream${type}s`,
      `/envoy.service.${type.toLowerCase()}.v3.${type}DiscoveryService/Delta${type}s`,
    ]);
    for (const path of services) {
      const call = connection.makeBidiStreamRequest(path, asIs, asIs);
      expect(await new Promise((resolve) => call.on('error', ({ code }: { code?: number }) => resolve(code)))).toBe(
        status.UNIMPLEMENTED,
      );
    }
  });

  test.each(methods)('trusts nothing in the node metadata of a client (%s)', async (method) => {
    const client = await bench.identity('foo/other');
    const lie = {
      ...nodeOf('other.foo'),
      cluster: 'edge.foo',
      metadata: {
        ...{ NAME: 'edge', NAMESPACE: 'bar', WORKLOAD_NAME: 'edge', SERVICE_ACCOUNT: 'edge', CLUSTER_ID: 'Cluster' },
        ...{ LABELS: { mesh: 'ingressgateway' }, INSTANCE_IPS: '127.0.0.2', OWNER: 'kubernetes://x' },
      },
      locality: { region: 'elsewhere' },
    };
    for (const type of [configurationTypes.clusters.typeUrl, configurationTypes.listeners.typeUrl]) {
      const [honest, liar] = await Promise.all([
        ask(connect(client), method, type, nodeOf('other.foo')),
        ask(connect(client), method, type, lie),
      ]);
      expect(liar).toMatchObject({ type_url: type });
      expect(liar).toEqual(honest);
      expect(JSON.stringify(liar)).not.toContain(secretName);
    }
  });

  test('gives a gateway its own configuration, not that of the gateway of the same name in another namespace', async () => {
    for (const [own, others] of [
      ['foo', 'bar'],
      ['bar', 'foo'],
    ] as const) {
      const connection = connect(await bench.identity(`${own}/edge`));
      const answer = await ask(connection, 'DeltaAggregatedResources', secretTypeUrl, nodeOf(`edge.${own}`));
      const resource = typeof answer === 'string' ? {} : (answer.resources?.[0]?.resource as Certificate);
      const chain = atob(resource.tls_certificate?.certificate_chain.inline_bytes ?? '');
      expect(new X509Certificate(chain).subjectAltName).toBe(`DNS:shop.${own}`);
      expect(await endsOf(connection, `edge.${others}`)).toEqual(['PERMISSION_DENIED']);
    }
  });
});

interface Certificate {
  readonly tls_certificate?: { readonly certificate_chain: { readonly inline_bytes: string } };
}
