import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Client, type ClientDuplexStream, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { createAdminClient } from '../../envoy/admin.ts';
import { decodeMessage } from '../../envoy/api/decode.ts';
import { encodeMessage } from '../../envoy/api/encode.ts';
import { findEnvoy, spawnEnvoy } from '../../envoy/process.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import { adsBootstrap } from '../../xds/testing/small-mesh.ts';
import type { DistributionConfig } from '../control-config.ts';
import { ControlBench, type RawRequest } from '../testing/control-bench.ts';
import { createTestRequest } from '../testing/signing-requests.ts';

const program = resolve(import.meta.dirname, '../../../dist/meshd-compile.cjs');

interface Seen {
  readonly nonce: string;
  readonly type_url: string;
  readonly resources?: readonly { readonly name: string; readonly resource: unknown }[];
}

const otherPod = httpbinPod('127.0.0.2').replaceAll('httpbin', 'other');
const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];

describe('meshd, serving a folder', () => {
  let bench: ControlBench;
  let root: string;
  const clients: Client[] = [];

  beforeEach(async () => {
    bench = await ControlBench.create();
    await mkdir(bench.path('config'));
    await put('mesh.yaml', objects(namespace, httpbinPod(), otherPod));
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await bench.close();
  });

  /** By rename, as editors and volumes do. */
  const put = async (name: string, text: string): Promise<void> => {
    await writeFile(bench.path(`${name}.new`), text);
    await rename(bench.path(`${name}.new`), join(bench.path('config'), name));
  };
  const start = async (
    rest: Partial<DistributionConfig> = {},
    settings: DistributionConfig['compile']['settings'] = { environment: {} },
  ): Promise<void> => {
    const distribution: DistributionConfig = {
      compile: {
        folder: bench.path('config'),
        settings,
        debounce: { afterMs: 100, maxMs: 10_000 },
        gathersEndpoints: true,
      },
      ...{ throttle: 100, takesAnyAddress: false, program },
      ...rest,
    };
    await bench.start((config) => ({ ...config, distribution }));
    root = await readFile(bench.path('ca/self-signed-root.pem'), 'utf8');
  };
  const identity = async (account: string): Promise<NonNullable<RawRequest['client']>> => {
    const { csr, privateKey } = await createTestRequest();
    const { chain } = await bench.call(root, { csr, token: await bench.mint.mint(account) });
    return { certificate: chain.slice(0, -1).join(''), privateKey };
  };
  const open = (client: RawRequest['client'] | undefined, method = 'DeltaAggregatedResources') => {
    const connection = bench.connect(root, client);
    clients.push(connection);
    const asIs = (bytes: Buffer): Buffer => bytes;
    const path = `/envoy.service.discovery.v3.AggregatedDiscoveryService/${method}`;
    const call: ClientDuplexStream<Buffer, Buffer> = connection.makeBidiStreamRequest(path, asIs, asIs);
    const seen: Seen[] = [];
    const ends: string[] = [];
    const ask = (fields: object): void => {
      call.write(Buffer.from(encodeMessage('envoy.service.discovery.v3.DeltaDiscoveryRequest', fields)));
    };
    call.on('data', (bytes: Buffer) => {
      const response = decodeMessage('envoy.service.discovery.v3.DeltaDiscoveryResponse', bytes) as Seen;
      seen.push(response);
      ask({ type_url: response.type_url, response_nonce: response.nonce });
    });
    call.on('error', (error: { code: number }) => void ends.push(status[error.code] ?? ''));
    const subscribe = (list: ConfigurationList, id = 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local'): void =>
      ask({ type_url: configurationTypes[list].typeUrl, node: { id } });
    return { call, seen, ends, ask, subscribe };
  };
  const metric = async (name: string): Promise<string | undefined> => {
    const text = await (await fetch(`${bench.monitoring}/metrics`)).text();
    return new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1];
  };
  const textOf = (seen: Seen | undefined): string => JSON.stringify(seen?.resources ?? []);

  test('serves a workload its configuration, and each change of the folder', async () => {
    await start();
    const stream = open(await identity('foo/httpbin'));
    stream.subscribe('listeners');
    await vi.waitFor(
      () => expect(stream.seen[0]?.resources?.map(({ name }) => name)).toContain('virtualInbound'),
      10_000,
    );
    await put('deny.yaml', denyPath('/secret'));
    const began = performance.now();
    await vi.waitFor(() => expect(textOf(stream.seen.at(-1))).toContain('/secret'), 5_000);
    expect(performance.now() - began).toBeLessThan(2_000);
    // What differs, and nothing else.
    expect(stream.seen.at(-1)?.resources?.map(({ name }) => name)).toEqual(['virtualInbound']);
    expect(await metric('meshd_xds_streams')).toBe('1');
    expect(await metric('meshd_xds_pushes_count{type="Listener"}')).toBe('2');
    expect(stream.ends).toEqual([]);
  });

  test('holds the last valid version of a faulty object, serves what else changes, and says why with file and line', async () => {
    await start();
    await put('deny.yaml', denyPath('/first'));
    const stream = open(await identity('foo/httpbin'));
    stream.subscribe('listeners');
    await vi.waitFor(() => expect(textOf(stream.seen.at(-1))).toContain('/first'), 10_000);
    await put('deny.yaml', denyPath('/second').replace('DENY', 'DENI'));
    const refused = (): string =>
      bench.lines
        .filter(({ level }) => level === 'error')
        .map(({ message }) => message)
        .join();
    await vi.waitFor(() => expect(refused()).toMatch(/deny\.yaml:4:/), 5_000);
    // The faulty version is held, and what else changes takes effect.
    await put('more.yaml', denyPath('/beside', 'q'));
    await vi.waitFor(() => expect(textOf(stream.seen.at(-1))).toMatch(/beside.*first|first.*beside/), 5_000);
    await put('deny.yaml', denyPath('/third'));
    await vi.waitFor(() => expect(textOf(stream.seen.at(-1))).toContain('/third'), 5_000);
    expect(stream.seen.map(textOf).filter((text) => !/first|third/.test(text))).toEqual([]);
    expect(Number(await metric('meshd_refused_inputs_count'))).toBeGreaterThan(0);
  });

  test.each([
    ['has no certificate', undefined, 'httpbin.foo', 'UNAUTHENTICATED'],
    ['is of another namespace', 'bar/httpbin', 'httpbin.foo', 'PERMISSION_DENIED'],
    ['is another account of the namespace', 'foo/other', 'httpbin.foo', 'PERMISSION_DENIED'],
    ['comes from another address than the workload has', 'foo/other', 'other.foo', 'PERMISSION_DENIED'],
    ['names no workload', 'foo/httpbin', 'httpbin', 'INVALID_ARGUMENT'],
  ])('gives nothing of any type to a client that %s', async (_name, account, name, expected) => {
    await start();
    const client = account === undefined ? undefined : await identity(account);
    await vi.waitFor(async () => expect(await metric('meshd_compilations_count')).toBe('1'), 10_000);
    for (const list of lists) {
      const stream = open(client);
      stream.subscribe(list, `sidecar~127.0.0.1~${name}~foo.svc.cluster.local`);
      await vi.waitFor(() => expect(stream.ends).toEqual([expected]), 5_000);
      expect(stream.seen).toEqual([]);
    }
  });

  test('brings a real Envoy its configuration by mutual TLS, and each change, of which it refuses nothing', async () => {
    const [adminPort = 0, outboundPort = 0, inboundPort = 0] = await freePorts(3);
    await writeFile(
      bench.path('mesh-config.yaml'),
      `proxyListenPort: ${outboundPort}\nproxyInboundListenPort: ${inboundPort}\n`,
    );
    const settings = { environment: {}, meshConfig: { path: bench.path('mesh-config.yaml'), isRequired: true } };
    await start({}, settings);
    const client = await identity('foo/httpbin');
    await writeFile(bench.path('bootstrap.json'), JSON.stringify(tlsBootstrap(adminPort, bench.port, client, root)));
    const envoy = await spawnEnvoy({
      binary: findEnvoy({ env: process.env, repositoryRoot: resolve(import.meta.dirname, '../../..') }),
      args: ['-c', bench.path('bootstrap.json'), '--disable-hot-restart', '-l', 'off', '--concurrency', '1'],
      output: 'ignore',
    });
    try {
      const admin = createAdminClient({ port: adminPort });
      const dump = async (): Promise<string> => (await admin.get('/config_dump')).body;
      const figure = async (name: string): Promise<string> => (await admin.get(`/stats?filter=^${name}$`)).body;
      await vi.waitFor(async () => expect(await dump()).toContain('"virtualInbound"'), 10_000);
      await put('deny.yaml', denyPath('/secret'));
      await vi.waitFor(async () => expect(await dump()).toContain('/secret'), 5_000);
      expect(await figure('listener_manager.lds.update_rejected')).toMatch(/: 0$/m);
      expect(await figure('cluster_manager.cds.update_rejected')).toMatch(/: 0$/m);
      expect(await metric('meshd_xds_rejects_count.*')).toBeUndefined();
    } finally {
      envoy.signal('SIGKILL');
      await envoy.exited;
    }
  });

  test('is ready once a configuration is compiled, and not before', async () => {
    await rm(bench.path('config'), { recursive: true });
    await start();
    const ready = async (): Promise<string> => (await fetch(`${bench.monitoring}/healthz/ready`)).text();
    expect(await ready()).toBe('no configuration is compiled yet\n');
    await mkdir(bench.path('config'));
    await put('mesh.yaml', objects(namespace, httpbinPod()));
    await vi.waitFor(async () => expect(await ready()).toBe(''), 10_000);
  });

  test('lets a proxy come from another address where that is said', async () => {
    await start({ takesAnyAddress: true });
    const stream = open(await identity('foo/other'));
    stream.subscribe('listeners', 'sidecar~127.0.0.2~other.foo~foo.svc.cluster.local');
    await vi.waitFor(() => expect(stream.seen).toHaveLength(1), 10_000);
  });

  test('serves on what it had while the thread that compiles lacks memory, and starts it again', async () => {
    await start({ heapMiB: 40 });
    const stream = open(await identity('foo/httpbin'));
    stream.subscribe('listeners');
    await vi.waitFor(() => expect(stream.seen).toHaveLength(1), 10_000);
    const pods = Array.from({ length: 8_000 }, (_, i) =>
      httpbinPod(`10.9.${i >> 8}.${i & 255}`).replaceAll('httpbin', `p${i}`),
    );
    await put('many.yaml', objects(...pods));
    await vi.waitFor(
      async () => expect(Number(await metric('meshd_compile_restarts_count'))).toBeGreaterThan(0),
      30_000,
    );
    const later = open(await identity('foo/httpbin'));
    later.subscribe('listeners');
    await vi.waitFor(() => expect(later.seen).toHaveLength(1), 5_000);
    await put('many.yaml', denyPath('/after'));
    await vi.waitFor(() => expect(textOf(stream.seen.at(-1))).toContain('/after'), 30_000);
    expect([stream.ends, later.ends]).toEqual([[], []]);
  });
});

/** Of an Envoy without an agent; its secrets never come, so that its listeners with TLS stay closed. */
function tlsBootstrap(
  adminPort: number,
  port: number,
  { certificate, privateKey }: NonNullable<RawRequest['client']>,
  root: string,
): object {
  const { node, dynamic_resources } = adsBootstrap('DELTA_GRPC', adminPort, '') as Record<string, object>;
  const http2 = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
  const cluster = (name: string, to: number, more: object = {}): object => ({
    name,
    type: 'STATIC',
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: addressAt(to) } }] }],
    },
    typed_extension_protocol_options: {
      [http2]: { '@type': `type.googleapis.com/${http2}`, explicit_http_config: { http2_protocol_options: {} } },
    },
    ...more,
  });
  const tls = {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
    sni: 'meshd.mesh-system.svc',
    common_tls_context: {
      tls_certificates: [
        { certificate_chain: { inline_string: certificate }, private_key: { inline_string: privateKey } },
      ],
      validation_context: {
        trusted_ca: { inline_string: root },
        match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: 'meshd.mesh-system.svc' } }],
      },
    },
  };
  return {
    node: { ...node, id: 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local' },
    dynamic_resources,
    admin: { address: addressAt(adminPort) },
    static_resources: {
      clusters: [
        cluster('xds-grpc', port, { transport_socket: { name: 'tls', typed_config: tls } }),
        cluster('sds-grpc', 1),
      ],
    },
  };
}

function addressAt(port: number): object {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}
