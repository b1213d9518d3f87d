import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createMeshCa } from '../testing/certificates.ts';
import { eventually } from '../testing/eventually.ts';
import { keySetText, kidsOf, publicJwk } from './testing/keys.ts';
import { NetworkBench, zoneLookup } from './testing/network-bench.ts';
import { recorder } from './testing/recorder.ts';

let bench: NetworkBench;

beforeAll(async () => {
  bench = await NetworkBench.create();
});

afterEach(async () => {
  await bench.clear();
  vi.unstubAllEnvs();
});

describe('over HTTPS', () => {
  test('gives the keys of a host whose certificate a trusted root vouches for', async () => {
    const server = await bench.serve(bench.sendKeys, { dnsNames: ['keys.test'] });
    expect(await bench.kids(`https://keys.test:${server.port}/jwks?a=1`)).toEqual(['a']);
    const [request] = server.requests;
    expect([request?.method, request?.url, request?.headers]).toEqual([
      'GET',
      '/jwks?a=1',
      {
        accept: 'application/json, application/jwk-set+json',
        'accept-encoding': 'identity',
        host: `keys.test:${server.port}`,
        connection: 'close',
      },
    ]);
  });

  test.each([
    ['another host', { dnsNames: ['other.test'] }, 'own', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['no host', {}, 'own', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['the past', { dnsNames: ['keys.test'], days: -1 }, 'own', 'CERT_HAS_EXPIRED'],
    ['another root', { dnsNames: ['keys.test'] }, 'other', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['a root that nobody named', { dnsNames: ['keys.test'] }, 'none', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])(
    'refuses a certificate for %s, even where the environment says not to look',
    async (_name, options, roots, code) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      const server = await bench.serve(bench.sendKeys, options);
      const { rootCertificate } = roots === 'other' ? await createMeshCa() : bench.ca;
      const extraRoots = roots === 'none' ? undefined : rootCertificate;
      expect(await bench.get(`https://keys.test:${server.port}/`, { extraRoots })).toMatchObject({
        fault: { code: 'unreachable', message: expect.stringContaining(`(${code})`) },
      });
      expect(server.requests).toEqual([]);
    },
  );
});

describe('the address of a host', () => {
  test('is looked up once a download and is where the connection goes', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const server = await bench.serve(bench.sendKeys);
    const lookup = vi.fn(() => Promise.resolve(answers.shift() ?? []));
    expect(await bench.kids(`http://keys.test:${server.port}/`, { lookup })).toEqual(['a']);
    expect(lookup).toHaveBeenCalledTimes(1);
  });

  test('is refused before a connection when it is private and not allowed by name', async () => {
    const server = await bench.serve(bench.sendKeys);
    for (const host of ['internal.test', '127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0']) {
      const lookup = host === 'localhost' ? undefined : zoneLookup;
      expect(await bench.get(`http://${host}:${server.port}/`, { lookup })).toMatchObject({
        fault: { code: 'host-refused' },
      });
    }
    expect(server.connections).toBe(0);
  });

  test('may be one of several, the first of which is dead', async () => {
    const server = await bench.serve(bench.sendKeys);
    expect(await bench.kids(`http://two.test:${server.port}/`)).toEqual(['a']);
  });

  test('is not asked of a proxy that the environment names', async () => {
    const proxy = await bench.serve(bench.sendKeys);
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']) {
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    }
    const server = await bench.serve(bench.sendKeys);
    expect(await bench.kids(`http://keys.test:${server.port}/`)).toEqual(['a']);
    expect(proxy.connections).toBe(0);
  });
});

describe('a redirect', () => {
  test('is followed three times, relative ones too, and not a fourth time', async () => {
    const server = await bench.serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) bench.sendKeys(request, response);
      else redirect(response, left % 2 === 0 ? `/${left - 1}` : `http://keys.test:${server.port}/${left - 1}`);
    });
    expect(await bench.kids(`http://keys.test:${server.port}/3`)).toEqual(['a']);
    expect(await bench.get(`http://keys.test:${server.port}/4`)).toMatchObject({ fault: { code: 'redirect-refused' } });
    expect(server.requests).toHaveLength(4 + 4);
  });

  test.each([
    ['//internal.test/jwks', 'host-refused'],
    ['http://127.0.0.1/', 'host-refused'],
    ['http://169.254.169.254/latest/meta-data/', 'host-refused'],
    ['http://metadata.test/', 'host-refused'],
    ['http://mapped.test/', 'host-refused'],
    ['http://[::ffff:a9fe:a9fe]/', 'host-refused'],
    ['http://[64:ff9b::7f00:1]/', 'host-refused'],
    ['http://0x7f000001/', 'host-refused'],
    ['file:///etc/passwd', 'url-refused'],
    ['gopher://keys.test/', 'url-refused'],
    ['http://user:secret@keys.test/', 'url-refused'],
    ['http://[/', 'url-refused'],
    [undefined, 'redirect-refused'],
  ])('to %s, at the end of a chain, is %s', async (location, code) => {
    const inside = await bench.serve(bench.sendKeys);
    const target = location?.replace('internal.test', `internal.test:${inside.port}`);
    const server = await bench.serve((request, response) => redirect(response, request.url === '/' ? '/next' : target));
    const { fault } = await bench.get(`http://keys.test:${server.port}/`);
    expect(fault).toMatchObject({ code, message: expect.not.stringContaining('secret') });
    expect([server.requests.length, inside.connections]).toEqual([2, 0]);
  });

  test('from https to http is refused', async () => {
    const plain = await bench.serve(bench.sendKeys);
    const server = await bench.serve((_request, response) => redirect(response, `http://keys.test:${plain.port}/`), {
      dnsNames: ['keys.test'],
    });
    expect(await bench.get(`https://keys.test:${server.port}/`)).toMatchObject({ fault: { code: 'redirect-refused' } });
    expect(plain.connections).toBe(0);
  });
});

describe('the resolver', () => {
  test('asks once for a herd of callers', async () => {
    const server = await bench.serve(
      (request, response) => void setTimeout(() => bench.sendKeys(request, response), 50),
    );
    const resolver = bench.open({});
    const source = { issuer: NetworkBench.issuer, jwksUri: `http://keys.test:${server.port}/` };
    const results = await Promise.all(Array.from({ length: 500 }, () => resolver.get(source)));
    expect(results.every(({ keySet }) => keySet !== undefined)).toBe(true);
    expect(server.connections).toBe(1);
  });

  test('finds the keys of an issuer over the network, and follows their rotation', async () => {
    let body = bench.body;
    const heard = recorder();
    const server = await bench.serve((request, response) => {
      const base = `http://keys.test:${server.port}`;
      if (request.url === '/keys') response.end(body);
      else response.end(JSON.stringify({ issuer: base, jwks_uri: `${base}/keys` }));
    });
    const resolver = bench.open({ timings: { refreshMs: 30 }, observer: heard });
    const source = { issuer: `http://keys.test:${server.port}` };
    expect(kidsOf((await resolver.get(source)).keySet?.text ?? '')).toEqual(['a']);
    body = keySetText(await publicJwk('b'));
    await eventually(() => expect(kidsOf(resolver.current(source)?.keySet?.text ?? '')).toEqual(['b']));
    expect(heard.count('change')).toBe(2);
    expect(server.requests.filter(({ url }) => url === '/.well-known/openid-configuration')).toHaveLength(1);
  });

  test('leaves no connection and nothing to wait for when it closes', async () => {
    const server = await bench.serve(() => undefined);
    const resolver = bench.open({});
    const waiting = resolver.get({ issuer: NetworkBench.issuer, jwksUri: `http://keys.test:${server.port}/` });
    await eventually(() => expect(server.requests).toHaveLength(1));
    resolver.close();
    expect(await waiting).toMatchObject({ fault: { code: 'closed' } });
    await eventually(() => expect(server.open).toBe(0));
  });
});

function redirect(response: ServerResponse, location: string | undefined): void {
  response.writeHead(302, location === undefined ? {} : { location }).end();
}
