import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatewayOf, secret } from '../../cli/agent/testing/gateway-objects.ts';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { createMeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { ServingBench } from '../testing/serving-bench.ts';

const gateway = httpbinPod()
  .replaceAll('httpbin', 'edge')
  .replace('app: edge', 'mesh: ingressgateway')
  .replace('{name: app, ', '{name: mesh-proxy, args: [proxy, router], ');
const server =
  '{port: {number: 8443, name: https, protocol: HTTPS}, hosts: ["*.example.com"], tls: {mode: SIMPLE, credentialName: shop}}';
const inBar = (object: string): string => object.replace('namespace: foo', 'namespace: bar');

describe('the debug answers of meshd, by token', () => {
  let bench: ServingBench;
  let key: string;
  const tokens: string[] = [];

  beforeAll(async () => {
    bench = await ServingBench.create();
    const issued = await (await createMeshCa()).issue('', { uris: [], dnsNames: ['shop.example.com'] });
    key = issued.privateKey;
    const shop = secret('shop', { certificate: issued.certificateChain, key });
    const other = inBar(httpbinPod()).replaceAll('httpbin', 'other');
    await bench.put(
      'mesh.yaml',
      objects(namespace, namespace.replace('foo', 'bar'), httpbinPod(), gateway, other, shop),
    );
    await bench.put('gateway.yaml', gatewayOf(server));
    await bench.put('deny.yaml', objects(denyPath('/foo'), inBar(denyPath('/bar', 'q'))));
    await bench.start({ keepsAcknowledged: true });
    for (const [account, workload] of [
      ['foo/httpbin', 'httpbin.foo'],
      ['bar/other', 'other.bar'],
    ] as const) {
      const stream = bench.open(await bench.identity(account));
      for (const list of ['clusters', 'listeners'] as const) stream.subscribe(list, `sidecar~127.0.0.1~${workload}~d`);
      await eventually(() => expect(stream.seen).toHaveLength(2));
    }
  });
  afterAll(() => bench.close());

  /** Each of another subject, whose requests are counted apart. */
  const tokenOf = async (namespaces: unknown, aud = 'mesh-debug'): Promise<string> => {
    const claims = { sub: `ops-${tokens.length}@example.com`, aud, debug_namespaces: namespaces };
    const token = await bench.control.mint.mint('foo/httpbin', { claims });
    tokens.push(token);
    return token;
  };

  interface Reply {
    readonly status: number | undefined;
    readonly body: string;
  }
  /** From an address of loopback's own, whose requests are counted apart. */
  const ask = (path: string, token?: string, from = '127.0.0.1', method = 'GET'): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const sent = request({
        ...{ host: '127.0.0.1', port: bench.control.debugPort, path, method, localAddress: from, agent: false },
        ...{ ca: bench.root, servername: 'meshd.mesh-system.svc' },
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
      sent.on('response', async (answer) => resolve({ status: answer.statusCode, body: await text(answer) }));
      sent.on('error', reject).end();
    });
  const json = async (path: string, token: string, from?: string) => JSON.parse((await ask(path, token, from)).body);

  test('shows a reader the proxies and objects of its namespace, and answers for those of others as if they did not exist', async () => {
    const token = await tokenOf(['foo']);
    await eventually(async () => {
      const { proxies } = await json('/debug/syncz', token, '127.0.0.2');
      expect(proxies).toMatchObject([{ proxy: 'foo/httpbin', isInStep: true }]);
    });
    expect((await json('/debug/config_dump?proxy=foo/httpbin', token)).listeners.length).toBeGreaterThan(0);
    const { faults, resources } = await json('/debug/why?proxy=foo/httpbin', token);
    expect([faults, JSON.stringify(resources).includes('deny.yaml')]).toEqual([[], true]);
    const { proxies } = await json('/debug/config_distribution?resource=AuthorizationPolicy/foo/p', token);
    expect(proxies.map(({ proxy }: { readonly proxy: string }) => proxy)).toEqual(['foo/httpbin']);

    const again = await tokenOf(['foo']);
    const nothing = async (path: string, what: string): Promise<object> => {
      const answer = await ask(`/debug/${path}`, again);
      expect([answer.status, JSON.parse(answer.body)]).toEqual([404, { error: `there is no such ${what}` }]);
      return answer;
    };
    const noProxy = await nothing('config_dump?proxy=foo/gone', 'proxy');
    const noObject = await nothing('config_distribution?resource=AuthorizationPolicy/foo/gone', 'object');
    for (const path of [
      'config_dump?proxy=bar/other',
      'why?proxy=bar/other',
      'adsz?proxy=bar/other',
      'config_dump?proxy=foo',
    ])
      expect(await ask(`/debug/${path}`, again, '127.0.0.3'), path).toEqual(noProxy);
    for (const path of [
      'config_distribution?resource=AuthorizationPolicy/bar/q',
      'config_distribution?resource=AuthorizationPolicy/foo/../bar/q',
      'config_distribution?resource=foo/AuthorizationPolicy',
    ])
      expect(await ask(`/debug/${path}`, again, '127.0.0.3'), path).toEqual(noObject);
    expect((await ask('/debug/status', again)).status).toBe(404);
  });

  test('shows a reader of all namespaces everything, and lets nobody change anything', async () => {
    const token = await tokenOf(['*']);
    const from = '127.0.0.4';
    expect((await json('/debug/syncz', token, from)).proxies).toHaveLength(2);
    expect(await json('/debug/status', token, from)).toMatchObject({ connected: 2 });
    expect((await ask('/debug/forget?kind=AuthorizationPolicy', token, from)).status).toBe(404);
    expect((await ask('/debug/forget?kind=AuthorizationPolicy', token, from, 'POST')).status).toBe(405);
  });

  test('gives what a proxy has acknowledged, as PILOT_DEBUG_ADSZ_CONFIG asks for', async () => {
    const token = await tokenOf(['bar']);
    const { streams } = await json('/debug/adsz?proxy=bar/other', token, '127.0.0.5');
    expect(streams).toHaveLength(1);
    expect(Object.keys(streams[0])).toEqual(['clusters', 'listeners']);
    expect(JSON.stringify(streams)).toContain('/bar');
  });

  test('shows of a secret the certificate, and no key', async () => {
    const dump = await ask('/debug/config_dump?proxy=foo/edge', await tokenOf(['foo']), '127.0.0.6');
    const [shown] = JSON.parse(dump.body).secrets;
    expect(shown).toMatchObject({
      name: 'kubernetes://shop',
      tls_certificate: { private_key: { inline_string: '[redacted]' } },
    });
    expect(atob(shown.tls_certificate.certificate_chain.inline_bytes)).toContain('BEGIN CERTIFICATE');
    expect(Object.keys(shown)).toEqual(['name', 'tls_certificate']);
    for (const form of [key.split('\n')[1] ?? '', btoa(key).slice(40, 80)])
      expect(dump.body.includes(form)).toBe(false);
  });

  test('refuses a request without a token for mesh-debug that names namespaces, and the CA refuses such a token', async () => {
    const debug = await tokenOf(['*']);
    const from = '127.0.0.7';
    const replies = [
      await ask('/debug/syncz', undefined, from),
      await ask('/debug/syncz', await tokenOf(['*'], 'mesh-ca'), from),
      await ask('/debug/syncz', await tokenOf(undefined), from),
      await ask('/debug/syncz', `${debug.slice(0, -8)}AAAAAAAA`, from),
    ];
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1);
    const service = await bench.control.mint.mint('foo/httpbin', {
      claims: { aud: 'mesh-debug', debug_namespaces: ['*'] },
    });
    expect((await bench.control.call(bench.root, { token: service })).details).toBe('request authenticate failure');
  });

  test('limits the rate of a reader that asks without end, and answers others meanwhile', async () => {
    const token = await tokenOf(['foo']);
    const path = '/debug/config_dump?proxy=foo/httpbin';
    /** How many of so many requests at once are not put off, and the most that the rate allows in their time. */
    const ofMany = async (count: number, rate: { burst: number; perSecond: number }, one: () => Promise<Reply>) => {
      const began = performance.now();
      const replies = await Promise.all(Array.from({ length: count }, one));
      const seconds = (performance.now() - began) / 1_000;
      const answered = replies.filter(({ status }) => status !== 429).length;
      expect(answered).toBeLessThanOrEqual(rate.burst + Math.ceil(rate.perSecond * seconds));
      return answered;
    };
    const dumps = await ofMany(20, { burst: 5, perSecond: 1 }, () => ask(path, token, '127.0.0.8'));
    expect(dumps).toBeGreaterThanOrEqual(5);
    const flood = () => ask('/debug/syncz', undefined, '127.0.0.9');
    expect(await ofMany(60, { burst: 30, perSecond: 5 }, flood)).toBeGreaterThanOrEqual(30);
    expect((await ask('/debug/syncz', token, '127.0.0.10')).status).toBe(200);
  });

  test('logs who asked for what, and no token', async () => {
    await ask('/debug/syncz', await tokenOf(['foo']), '127.0.0.11');
    const logged = JSON.stringify(bench.control.lines);
    expect(logged).toMatch(/"subject":"ops-\d+@example\.com","path":"\/debug\/syncz","status":200/);
    for (const token of tokens) expect(logged.includes(token.split('.')[2] ?? token)).toBe(false);
  });
});
