import { readdir, readFile } from 'node:fs/promises';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../cli/agent/testing/gateway-objects.ts';
import { httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { createMeshCa, type IssuedCertificate, type MeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import { type RunningEnvoy, startDirectEnvoy } from '../testing/direct-envoy.ts';
import { gateway, gatewayPod, tlsServer } from '../testing/gateway-mesh.ts';
import { type RawStream, type Seen, ServingBench, textOf } from '../testing/serving-bench.ts';

const named = (name: string): string => `sidecar~127.0.0.1~${name}~x.svc.cluster.local`;
const shop = 'kubernetes://shop';

describe('meshd, serving the secrets of gateways', () => {
  let bench: ServingBench;
  let ca: MeshCa;
  let ports: readonly number[];
  let envoy: RunningEnvoy | undefined;
  const sockets: TLSSocket[] = [];

  beforeEach(async () => {
    bench = await ServingBench.create();
    ca = await createMeshCa();
    ports = await freePorts(4);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await envoy?.close();
    envoy = undefined;
    await bench.close();
  });

  const issue = (name: string) => ca.issue('', { uris: [], dnsNames: ['*.example.com', name] });
  const put = (...secrets: readonly string[]): Promise<void> => bench.put('secrets.yaml', secrets.join(''));
  const of = (name: string, { certificateChain, privateKey }: IssuedCertificate, authorities?: string): string =>
    secret(name, { certificate: certificateChain, key: privateKey, ...(authorities && { authorities }) });

  const start = async (...servers: readonly string[]): Promise<void> => {
    const mesh = objects(namespace, httpbinPod(), gatewayPod('edge', 'foo'), gateway('edge', 'foo', ...servers));
    await bench.put('mesh.yaml', mesh);
    await bench.start();
  };
  const startEnvoy = async (apiType: 'GRPC' | 'DELTA_GRPC' = 'DELTA_GRPC'): Promise<RunningEnvoy> => {
    const [adminPort = 0] = ports;
    const client = await bench.identity('foo/edge');
    envoy = await startDirectEnvoy({ bench, adminPort, client, workload: 'edge.foo', apiType });
    return envoy;
  };

  /** A connection, once its handshake is over and it has answered a request; undefined: there is none to be had. */
  const reach = (port: number, by?: IssuedCertificate): Promise<TLSSocket | undefined> =>
    new Promise((resolve) => {
      const own = by && { cert: by.certificateChain, key: by.privateKey };
      const target = { host: '127.0.0.1', port, servername: 'www.example.com', rejectUnauthorized: false };
      const socket = connect({ ...target, ...own });
      sockets.push(socket);
      socket.once('data', () => resolve(socket));
      for (const event of ['error', 'close']) socket.once(event, () => resolve(undefined));
      socket.write('GET / HTTP/1.1\r\nhost: www.example.com\r\n\r\n');
    });
  const met = async (port: number): Promise<string | undefined> =>
    (await reach(port))?.getPeerX509Certificate()?.subjectAltName;
  const meets = (name: string, port: number): Promise<void> =>
    eventually(async () => expect(await met(port)).toContain(`DNS:${name}`));

  test.each(['DELTA_GRPC', 'GRPC'] as const)(
    'sends Envoy a certificate and key, and each new one, by %s, without draining a listener',
    async (apiType) => {
      const port = ports[1] ?? 0;
      await put(of('shop', await issue('one')));
      await start(tlsServer(port, '{mode: SIMPLE, credentialName: shop}'));
      const { figure } = await startEnvoy(apiType);
      await meets('one', port);
      const open = await reach(port);
      const before = await figure('listener_manager.lds.update_success');
      await put(of('shop', await issue('two')));
      await meets('two', port);
      const answer = new Promise((resolve) => open?.once('data', (bytes) => resolve(String(bytes))));
      open?.write('GET / HTTP/1.1\r\nhost: www.example.com\r\n\r\n');
      expect(await answer).toContain('200 OK');
      const none = ['listener_manager.listener_modified', 'listener_manager.total_listeners_draining'];
      expect([await Promise.all(none.map(figure)), await figure('listener_manager.lds.update_success')]).toEqual([
        [0, 0],
        before,
      ]);
    },
  );

  test('keeps a server closed while its Secret is missing or invalid, and then keeps the last valid certificate', async () => {
    const [, first = 0, second = 0, third = 0] = ports;
    const [good, foreign] = [await issue('good'), await issue('foreign')];
    const mixed = { ...good, privateKey: foreign.privateKey };
    const locked = { ...good, privateKey: good.privateKey.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY') };
    await put(of('mixed', mixed), of('locked', locked));
    await start(
      tlsServer(first, '{mode: SIMPLE, credentialName: missing}'),
      tlsServer(second, '{mode: SIMPLE, credentialName: mixed}'),
      tlsServer(third, '{mode: SIMPLE, credentialName: locked}'),
    );
    const { figure } = await startEnvoy();
    await eventually(async () =>
      expect(await figure('listener_manager.total_listeners_active')).toBeGreaterThanOrEqual(3),
    );
    expect(await Promise.all([first, second, third].map(met))).toEqual([undefined, undefined, undefined]);
    expect(bench.logged('warn')).toMatch(
      /is not served: its private key is not that of its first certificate .*kubernetes:\/\/mixed of namespace foo/,
    );

    await put(...['missing', 'mixed', 'locked'].map((name) => of(name, good)));
    for (const port of [first, second, third]) await meets('good', port);
    await put(of('missing', good), of('mixed', mixed), of('locked', locked));
    await eventually(() => expect(bench.logged('warn')).toContain('is not taken, the last valid one stays'));
    expect(await Promise.all([second, third].map(met))).toEqual(Array(2).fill(expect.stringContaining('DNS:good')));
  });

  test('accepts clients of the CAs in a Secret, and of no others, as soon as it changes', async () => {
    const port = ports[1] ?? 0;
    const next = await createMeshCa();
    const own = await issue('own');
    const [old, young] = [await issue('client'), await next.issue('', { uris: [], dnsNames: ['client'] })];
    await put(of('shop', own, ca.rootCertificate));
    await start(tlsServer(port, '{mode: MUTUAL, credentialName: shop}'));
    await startEnvoy();
    await eventually(async () => expect(await reach(port, old)).toBeDefined());
    expect([await reach(port, young), await reach(port)]).toEqual([undefined, undefined]);
    await put(of('shop', own, next.rootCertificate));
    await eventually(async () => expect(await reach(port, old)).toBeUndefined());
    expect(await reach(port, young)).toBeDefined();
  });

  test.each(['{mode: MUTUAL', '{mode: OPTIONAL_MUTUAL', '{mode: MUTUAL, subjectAltNames: [client]'])(
    'refuses clients of CAs that are removed from a Secret, or whose Secret is deleted, and accepts those of the next CAs: %s}',
    async (mode) => {
      const port = ports[1] ?? 0;
      const [own, client] = [await issue('own'), await issue('client')];
      await put(of('shop', own, ca.rootCertificate));
      await start(tlsServer(port, `${mode}, credentialName: shop}`));
      await startEnvoy();
      const isLetIn = () => eventually(async () => expect(await reach(port, client)).toBeDefined());
      const isShutOut = () => eventually(async () => expect(await reach(port, client)).toBeUndefined());
      await isLetIn();
      await put(of('shop', own));
      await isShutOut();
      expect([await reach(port, own), await reach(port)]).toEqual([undefined, undefined]);
      await put(of('shop', own), of('shop-cacert', own, ca.rootCertificate));
      await isLetIn();
      await put(of('other', own));
      await isShutOut();
      await put(of('shop', own, ca.rootCertificate));
      await isLetIn();
    },
  );

  const secretsOf = (stream: RawStream): readonly Seen[] =>
    stream.seen.filter(({ type_url }) => type_url === secretTypeUrl);
  const open = async (account: string): Promise<RawStream> => bench.open(await bench.identity(account));
  const asks = (stream: RawStream, workload: string, more: object): void =>
    stream.ask({ type_url: secretTypeUrl, node: { id: named(workload) }, ...more });
  /** The stream has been answered all that was asked before. */
  const settle = async (stream: RawStream): Promise<void> => {
    stream.subscribe('clusters');
    await eventually(() => expect(stream.seen.some(({ type_url }) => type_url.endsWith('Cluster'))).toBe(true));
  };

  test('gives a gateway the Secrets of its own namespace that its servers name, and others nothing', async () => {
    const [own, foreign] = [await issue('own'), await issue('foreign')];
    const other = of('shop', foreign).replace('namespace: foo', 'namespace: bar');
    await put(of('shop', own), of('spare', own), other);
    await start(tlsServer(8443, '{mode: SIMPLE, credentialName: shop}'));
    const away = gateway('edge', 'bar', tlsServer(8443, '{mode: SIMPLE, credentialName: shop}'));
    await bench.put('bar.yaml', objects(namespace.replace('foo', 'bar'), gatewayPod('edge', 'bar'), away));
    const bodies = async (account: string, workload: string, names: readonly string[]): Promise<string> => {
      const stream = await open(account);
      asks(stream, workload, { resource_names_subscribe: names });
      await settle(stream);
      expect(stream.ends).toEqual([]);
      return secretsOf(stream).map(textOf).join('');
    };
    const text = ({ certificateChain }: IssuedCertificate): string => btoa(certificateChain);
    const names = ['shop', 'spare', 'shop-cacert', 'bar/shop'].map((name) => `kubernetes://${name}`);
    await eventually(async () => expect(await bodies('bar/edge', 'edge.bar', names)).toContain(text(foreign)));
    const [inFoo, inBar] = [await bodies('foo/edge', 'edge.foo', names), await bodies('bar/edge', 'edge.bar', names)];
    expect([inFoo.includes(text(own)), inFoo.includes(text(foreign))]).toEqual([true, false]);
    expect([inBar.includes(text(own)), inBar.includes(text(foreign))]).toEqual([false, true]);
    expect(inFoo + inBar).not.toContain('spare');
    // A sidecar beside it, and one that asks for all there are.
    expect(await bodies('foo/httpbin', 'httpbin.foo', names)).toBe('');
    expect(await bodies('foo/edge', 'edge.foo', ['*'])).toBe('');
  });

  test('sends a Secret whatever version the client reports, reports its removal, and serves it again', async () => {
    await put(of('shop', await issue('own')));
    await start(tlsServer(8443, '{mode: SIMPLE, credentialName: shop}'));
    const first = await open('foo/edge');
    asks(first, 'edge.foo', { resource_names_subscribe: [shop] });
    await eventually(() => expect(secretsOf(first)).toHaveLength(1));
    const version = secretsOf(first)[0]?.resources?.[0]?.version;
    expect(version).toMatch(/^[0-9a-f]{16}$/);
    const again = await open('foo/edge');
    asks(again, 'edge.foo', { resource_names_subscribe: [shop], initial_resource_versions: { [shop]: version } });
    await eventually(() => expect(secretsOf(again)[0]?.resources).toHaveLength(1));
    await put(of('other', await issue('own')));
    await eventually(() => expect(secretsOf(again)[1]).toMatchObject({ removed_resources: [shop] }));
    await put(of('shop', await issue('own')));
    await eventually(() => expect(secretsOf(again)[2]?.resources).toHaveLength(1));
  });

  test('has no key in its logs, its debug answers, and its files', async () => {
    const own = await issue('own');
    await put(of('shop', own), of('broken', { ...own, certificateChain: 'x' }));
    const servers = ['shop', 'broken'].map((name, i) => tlsServer(8443 + i, `{mode: SIMPLE, credentialName: ${name}}`));
    await bench.put('mesh.yaml', objects(namespace, gatewayPod('edge', 'foo'), gateway('edge', 'foo', ...servers)));
    await bench.start({ compile: { stateFolder: bench.path('state') } });
    const stream = await open('foo/edge');
    asks(stream, 'edge.foo', { resource_names_subscribe: [shop] });
    await eventually(() => expect(secretsOf(stream)).toHaveLength(1));
    await settle(stream);
    const answers = [
      'status',
      'syncz',
      'why?proxy=foo/edge',
      'config_dump?proxy=foo/edge',
      'config_distribution?resource=Secret/foo/shop',
    ];
    const said = await Promise.all(answers.map((path) => bench.debug(`/debug/${path}`)));
    const metrics = await (await fetch(`${bench.control.monitoring}/metrics`)).text();
    await bench.control.stop();
    const kept = await readdir(bench.path('state'));
    const files = await Promise.all(kept.map((name) => readFile(bench.path(`state/${name}`), 'utf8')));
    const all = [JSON.stringify(bench.control.lines), ...said, metrics, ...files].join('\n');
    expect(all).toContain(shop);
    expect(files.join('')).toContain('kind: Gateway');
    const key = own.privateKey.split('\n')[1] ?? '';
    for (const form of [key, btoa(key).slice(4, 40), btoa(own.privateKey).slice(40, 80), 'PRIVATE KEY']) {
      expect(all.includes(form)).toBe(false);
    }
  });
});
