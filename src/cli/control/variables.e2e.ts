import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect as connectHttp } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RawStream, ServingBench, textOf } from '../../control/testing/serving-bench.ts';
import { createTestRequest } from '../../control/testing/signing-requests.ts';
import { eventually } from '../../testing/eventually.ts';
import { denyPath, httpbinPod, httpbinService, namespace, objects } from '../agent/testing/sample-mesh.ts';
import { askMeshd } from './ask-meshd.ts';
import { configOf } from './testing/config-of.ts';

describe('meshd serve, with a variable', () => {
  let bench: ServingBench;
  beforeEach(async () => {
    bench = await ServingBench.create();
    await bench.put('mesh.yaml', objects(namespace, httpbinService()));
    await bench.put('pods.yaml', objects(httpbinPod(), httpbinPod('127.0.0.2').replaceAll('httpbin', 'other')));
  });
  afterEach(() => bench.close());

  type Variables = Readonly<Record<string, string>>;
  async function serve(environment: Variables): Promise<void> {
    const flags = { config: bench.path('config'), anyProxyAddress: true, stateFolder: bench.path('state') } as const;
    const { distribution } = await configOf(environment, flags);
    await bench.start(distribution);
  }
  /** The listener and the authority alone. */
  async function listen(environment: Variables): Promise<string> {
    const { secure, authority } = await configOf(environment);
    await bench.control.start((config) => ({
      ...config,
      authority: { ...config.authority!, takesOtherClusters: authority!.takesOtherClusters },
      secure: secure && { ...secure, address: { host: '127.0.0.1', port: 0 } },
    }));
    return readFile(bench.path('ca/self-signed-root.pem'), 'utf8');
  }

  async function connect(name = 'httpbin'): Promise<RawStream> {
    const stream = bench.open(await bench.identity(`foo/${name}`));
    stream.subscribe('listeners', `sidecar~127.0.0.1~${name}.foo~foo.svc.cluster.local`);
    await eventually(() => expect(stream.seen).toHaveLength(1));
    return stream;
  }
  /** Nothing is acknowledged from now on; resolves with the time of the next response. */
  function fallSilent({ call }: RawStream): Promise<number> {
    call.removeAllListeners('data');
    return once(call, 'data').then(() => performance.now());
  }
  const compiled = (): Promise<void> =>
    eventually(async () => expect(await bench.metric('meshd_compilations_count')).toBe('2'));
  /** How long the last change waited for its compilation. */
  const waitedMs = (): number =>
    Number(bench.control.lines.findLast(({ message }) => message === 'push: compiled')?.fields.waitedMs);
  const addService = (): Promise<void> =>
    bench.put('more.yaml', httpbinService('10.1.0.11').replaceAll('httpbin', 'a'));

  test('PILOT_PUSH_THROTTLE=1 sends to one proxy after the other', async () => {
    await serve({ PILOT_PUSH_THROTTLE: '1' });
    const streams = [await connect(), await connect('other')];
    await eventually(async () => expect(await bench.metric('meshd_xds_pushes_waiting')).toBe('0'));
    const times = Promise.all(streams.map(fallSilent));
    await bench.put('deny.yaml', denyPath('/secret'));
    const [first = 0, second = 0] = (await times).sort((a, b) => a - b);
    // A small push that nobody acknowledges keeps its slot for 100 ms.
    expect(second - first).toBeGreaterThan(80);
  });

  test('PILOT_ENABLE_EDS_DEBOUNCE=false compiles a change of endpoints at once', async () => {
    const never = { PILOT_DEBOUNCE_AFTER: '1h', PILOT_DEBOUNCE_MAX: '1h' };
    await serve({ ...never, PILOT_ENABLE_EDS_DEBOUNCE: 'false' });
    await connect();
    await bench.put('pods.yaml', httpbinPod());
    await compiled();
  });

  test('PILOT_DEBOUNCE_AFTER is how long it has to be quiet, but for rules about access', async () => {
    await serve({ PILOT_DEBOUNCE_AFTER: '700ms' });
    await connect();
    // The time that it takes to find the change counts as quiet.
    const beganMs = performance.now();
    await addService();
    await compiled();
    // Timers may be a millisecond early.
    expect(performance.now() - beganMs).toBeGreaterThan(698);
    expect(waitedMs()).toBeGreaterThan(340);
  });

  test('PILOT_DEBOUNCE_MAX is how long changes are gathered at most', async () => {
    await serve({ PILOT_DEBOUNCE_AFTER: '1h', PILOT_DEBOUNCE_MAX: '700ms' });
    await connect();
    await addService();
    await compiled();
    expect(waitedMs()).toBeGreaterThan(698);
  });

  test('PILOT_DEBOUNCE_AFTER and _MAX do not hold up a rule about access', async () => {
    await serve({ PILOT_DEBOUNCE_AFTER: '1h', PILOT_DEBOUNCE_MAX: '1h' });
    const stream = await connect();
    await bench.put('deny.yaml', denyPath('/secret'));
    await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('/secret'));
  });

  interface Answer {
    readonly version: string;
    readonly proxies: readonly { readonly acknowledged: { readonly listeners?: string } }[];
  }
  const distribution = (): Promise<Answer | undefined> =>
    askMeshd(bench.debugSocket, 'GET', '/debug/config_distribution?resource=AuthorizationPolicy/foo/p');
  const acknowledged = async () => (await distribution())?.proxies[0]?.acknowledged.listeners;

  test.each([
    ['true', /^[0-9a-f]{12}-\d+$/],
    ['false', /^\d+$/],
  ])('PILOT_ENABLE_CONFIG_DISTRIBUTION_TRACKING=%s decides about nonces and the answer', async (value, nonce) => {
    await bench.put('deny.yaml', denyPath('/secret'));
    await serve({ PILOT_ENABLE_CONFIG_DISTRIBUTION_TRACKING: value });
    const stream = await connect();
    expect(stream.seen[0]?.nonce).toMatch(nonce);
    if (value === 'false') await expect(distribution()).rejects.toThrow('there is no GET /debug/config_distribution');
    else await eventually(async () => expect(await acknowledged()).toBeDefined());
  });

  test.each([
    ['true', /^\{"format":1,"proxy":"foo\/httpbin","streams":\[\{"listeners":/],
    ['false', /there is no GET \/debug\/adsz/],
  ])('PILOT_DEBUG_ADSZ_CONFIG=%s decides whether what a proxy has acknowledged is shown', async (value, shown) => {
    await serve({ PILOT_DEBUG_ADSZ_CONFIG: value });
    await connect();
    await eventually(async () => expect(await bench.debug('/debug/adsz?proxy=foo/httpbin')).toMatch(shown));
  });

  test.each([
    ['1h', true],
    ['1ms', false],
  ])('PILOT_DISTRIBUTION_HISTORY_RETENTION=%s: a version that was replaced is known: %j', async (value, isKnown) => {
    await bench.put('deny.yaml', denyPath('/first'));
    await serve({ PILOT_DISTRIBUTION_HISTORY_RETENTION: value });
    const stream = await connect();
    await eventually(async () => expect(await acknowledged()).toBeDefined());
    const version = await acknowledged();
    const silent = fallSilent(stream);
    await bench.put('deny.yaml', denyPath('/second'));
    await silent;
    await eventually(async () => expect(await acknowledged()).toBe(isKnown ? version : undefined));
  });

  test.each([
    ['true', 'OK'],
    ['false', 'UNAUTHENTICATED'],
  ])('CENTRAL_ISTIOD=%s answers a workload of another cluster with %s', async (value, expected) => {
    const root = await listen({ CENTRAL_ISTIOD: value });
    const { csr } = await createTestRequest();
    const token = await bench.control.mint.mint('foo/httpbin');
    const { code } = await bench.control.call(root, { csr, token, headers: { clusterid: 'east' } });
    expect(status[code]).toBe(expected);
    // The cluster is no credential.
    const nobody = await bench.control.call(root, { csr, headers: { clusterid: 'east' } });
    expect(status[nobody.code]).toBe('UNAUTHENTICATED');
  });

  test.each<[Variables, string]>([
    [{ MESHD_ADDR: 'control.example.com:15012' }, 'control.example.com'],
    [{ NAMESPACE: 'here' }, 'meshd.here.svc'],
    [{ MESH_NAMESPACE: 'there' }, 'istiod.there.svc'],
  ])('%j gives the server certificate the name %s', async (environment, servername) => {
    const ca = await listen(environment);
    const socket = connectTls({ host: '127.0.0.1', port: bench.control.port, ca, servername, ALPNProtocols: ['h2'] });
    await once(socket, 'secureConnect');
    expect(socket.authorized).toBe(true);
    socket.destroy();
  });

  test('MESHD_ADDR set to nothing has no listener', async () => {
    await listen({ MESHD_ADDR: '' });
    expect(bench.control.port).toBe(0);
  });

  test('MESH_GPRC_MAXRECVMSGSIZE bounds what one request may hold', async () => {
    const root = await listen({ MESH_GPRC_MAXRECVMSGSIZE: '2000' });
    const { csr } = await createTestRequest();
    const request = { csr, token: await bench.control.mint.mint('foo/httpbin') };
    expect(status[(await bench.control.call(root, request)).code]).toBe('OK');
    const large = { ...request, csr: `${csr}${' '.repeat(2_000)}` };
    expect(status[(await bench.control.call(root, large)).code]).toBe('RESOURCE_EXHAUSTED');
  });

  test('MESH_GPRC_MAXSTREAMS is told to each connection', async () => {
    await listen({ MESH_GPRC_MAXSTREAMS: '7' });
    const session = connectHttp(`https://127.0.0.1:${bench.control.port}`, { rejectUnauthorized: false });
    const [settings] = await once(session, 'remoteSettings');
    session.destroy();
    expect(settings.maxConcurrentStreams).toBe(7);
  });
});
