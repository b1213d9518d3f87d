import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createMeshCa, type MeshCa } from '../testing/certificates.ts';
import type { KeySetResult } from './key-set.ts';
import { createKeySetResolver, type KeySetResolver, type KeySetResolverOptions } from './resolve.ts';
import { type KeyServer, startKeyServer } from './testing/key-server.ts';
import { keySetText, kidsOf, publicJwk } from './testing/keys.ts';
import { recorder } from './testing/recorder.ts';

const issuer = 'https://issuer.example.com';
const mebibyte = 1_048_576;

let body = '';
let ca: MeshCa;
const ends: (() => unknown)[] = [];
/** The DNS of these tests; names that are not here have no address. */
const zone: Record<string, readonly string[]> = {
  'keys.test': ['127.0.0.1'],
  'internal.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:169.254.169.254'],
  'two.test': ['127.0.0.9', '127.0.0.1'],
};

beforeAll(async () => {
  body = keySetText(await publicJwk('a'));
  ca = await createMeshCa();
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  vi.unstubAllEnvs();
});

describe('over HTTPS', () => {
  test('gives the keys of a host whose certificate a trusted root vouches for', async () => {
    const server = await serve(sendKeys, { dnsNames: ['keys.test'] });
    expect(await kids(`https://keys.test:${server.port}/jwks?a=1`)).toEqual(['a']);
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
    ['another host', { dnsNames: ['other.test'] }, true],
    ['no host', {}, true],
    ['the past', { dnsNames: ['keys.test'], days: -1 }, true],
    ['an unknown root', { dnsNames: ['keys.test'] }, false],
  ])('refuses a certificate for %s, even where the environment says not to look', async (_name, options, isTrusted) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const server = await serve(sendKeys, options);
    const extraRoots = isTrusted ? ca.rootCertificate : (await createMeshCa()).rootCertificate;
    expect(await get(`https://keys.test:${server.port}/`, { extraRoots })).toMatchObject({
      fault: { code: 'unreachable' },
    });
    expect(server.requests).toEqual([]);
  });
});

describe('the address of a host', () => {
  test('is looked up once a download and is where the connection goes', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const server = await serve(sendKeys);
    const lookup = vi.fn(() => Promise.resolve(answers.shift() ?? []));
    expect(await kids(`http://keys.test:${server.port}/`, { lookup })).toEqual(['a']);
    expect(lookup).toHaveBeenCalledTimes(1);
  });

  test('is refused before a connection when it is private and not allowed by name', async () => {
    const server = await serve(sendKeys);
    for (const host of ['internal.test', '127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0']) {
      const lookup = host === 'localhost' ? undefined : zoneLookup;
      expect(await get(`http://${host}:${server.port}/`, { lookup })).toMatchObject({
        fault: { code: 'host-refused' },
      });
    }
    expect(server.connections).toBe(0);
  });

  test('may be one of several, the first of which is dead', async () => {
    const server = await serve(sendKeys);
    expect(await kids(`http://two.test:${server.port}/`)).toEqual(['a']);
  });

  test('is not asked of a proxy that the environment names', async () => {
    const proxy = await serve(sendKeys);
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']) {
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    }
    const server = await serve(sendKeys);
    expect(await kids(`http://keys.test:${server.port}/`)).toEqual(['a']);
    expect(proxy.connections).toBe(0);
  });
});

describe('a redirect', () => {
  test('is followed three times, relative ones too, and not a fourth time', async () => {
    const server = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) sendKeys(request, response);
      else redirect(response, left % 2 === 0 ? `/${left - 1}` : `http://keys.test:${server.port}/${left - 1}`);
    });
    expect(await kids(`http://keys.test:${server.port}/3`)).toEqual(['a']);
    expect(await get(`http://keys.test:${server.port}/4`)).toMatchObject({ fault: { code: 'redirect-refused' } });
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
    const inside = await serve(sendKeys);
    const target = location?.replace('internal.test', `internal.test:${inside.port}`);
    const server = await serve((request, response) => redirect(response, request.url === '/' ? '/next' : target));
    const { fault } = await get(`http://keys.test:${server.port}/`);
    expect(fault).toMatchObject({ code, message: expect.not.stringContaining('secret') });
    expect([server.requests.length, inside.connections]).toEqual([2, 0]);
  });

  test('from https to http is refused', async () => {
    const plain = await serve(sendKeys);
    const server = await serve((_request, response) => redirect(response, `http://keys.test:${plain.port}/`), {
      dnsNames: ['keys.test'],
    });
    expect(await get(`https://keys.test:${server.port}/`)).toMatchObject({ fault: { code: 'redirect-refused' } });
    expect(plain.connections).toBe(0);
  });
});

describe('an answer', () => {
  test.each<[string, RequestListener, string]>([
    ['never begins', () => undefined, 'timed-out'],
    ['stays at its head', (_request, response) => response.flushHeaders(), 'timed-out'],
    ['drips', (_request, response) => drip(response), 'timed-out'],
    ['says that it is huge', (_request, response) => declare(response, mebibyte + 1), 'answer-too-large'],
    ['has no end', (_request, response) => pour(response), 'answer-too-large'],
    ['is one byte too long', (_request, response) => response.end(' '.repeat(mebibyte + 1)), 'answer-too-large'],
    ['ends early', (_request, response) => cutShort(response), 'unreachable'],
    ['is cut off', (request) => request.socket.destroy(), 'unreachable'],
    ['is compressed', (_request, response) => sendCompressed(response), 'answer-invalid'],
    ['is not UTF-8', (_request, response) => response.end(Buffer.from('{"keys":"\xff"}', 'latin1')), 'answer-invalid'],
    ['is empty', (_request, response) => response.end(), 'answer-invalid'],
    ['is a page', (_request, response) => response.end('<html>secret</html>'), 'answer-invalid'],
    ['is an error page', (_request, response) => response.writeHead(500).end('secret'), 'status-refused'],
  ])('that %s is no key set, and leaves no connection behind', async (_name, answer, code) => {
    const server = await serve(answer);
    const { fault } = await get(`http://keys.test:${server.port}/`, { timings: { fetchTimeoutMs: 400, retries: 0 } });
    expect(fault).toMatchObject({ code, message: expect.not.stringContaining('secret') });
    await vi.waitFor(() => expect(server.open).toBe(0));
  });

  test('may have one mebibyte', async () => {
    const server = await serve((_request, response) => response.end(body.padEnd(mebibyte)));
    expect(await kids(`http://keys.test:${server.port}/`)).toEqual(['a']);
  });

  test('that is not HTTP, or no answer at all, is unreachable', async () => {
    const noise = createTcpServer((socket) =>
      socket
        .resume()
        .on('error', () => undefined)
        .end('SSH-2.0-noise\r\n'),
    ).listen(0, '127.0.0.1');
    await once(noise, 'listening');
    const { port } = noise.address() as AddressInfo;
    expect(await get(`http://keys.test:${port}/`, oneTry)).toMatchObject({ fault: { code: 'unreachable' } });
    noise.close();
    await once(noise, 'close');
    expect(await get(`http://keys.test:${port}/`, oneTry)).toMatchObject({
      fault: { code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') },
    });
  });
});

describe('the resolver', () => {
  test('asks once for a herd of callers', async () => {
    const server = await serve((request, response) => void setTimeout(() => sendKeys(request, response), 50));
    const resolver = open({});
    const source = { issuer, jwksUri: `http://keys.test:${server.port}/` };
    const results = await Promise.all(Array.from({ length: 500 }, () => resolver.get(source)));
    expect(results.every(({ keySet }) => keySet !== undefined)).toBe(true);
    expect(server.connections).toBe(1);
  });

  test('finds the keys of an issuer over the network, and follows their rotation', async () => {
    const heard = recorder();
    const server = await serve((request, response) => {
      const base = `http://keys.test:${server.port}`;
      if (request.url === '/keys') response.end(body);
      else response.end(JSON.stringify({ issuer: base, jwks_uri: `${base}/keys` }));
    });
    const resolver = open({ timings: { refreshMs: 30 }, observer: heard });
    const source = { issuer: `http://keys.test:${server.port}` };
    expect(kidsOf((await resolver.get(source)).keySet?.text ?? '')).toEqual(['a']);
    const before = body;
    body = keySetText(await publicJwk('b'));
    await vi.waitFor(() => expect(kidsOf(resolver.current(source)?.keySet?.text ?? '')).toEqual(['b']));
    body = before;
    expect(heard.count('change')).toBe(2);
    expect(server.requests.filter(({ url }) => url === '/.well-known/openid-configuration')).toHaveLength(1);
  });

  test('leaves no connection and nothing to wait for when it closes', async () => {
    const server = await serve(() => undefined);
    const resolver = open({});
    const waiting = resolver.get({ issuer, jwksUri: `http://keys.test:${server.port}/` });
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    resolver.close();
    expect(await waiting).toMatchObject({ fault: { code: 'closed' } });
    await vi.waitFor(() => expect(server.open).toBe(0));
  });
});

const oneTry = { timings: { retries: 0 } };

function zoneLookup(hostname: string): Promise<readonly string[]> {
  return Promise.resolve(zone[hostname] ?? []);
}

function open(options: Partial<KeySetResolverOptions>): KeySetResolver {
  const resolver = createKeySetResolver({
    observer: recorder(),
    lookup: zoneLookup,
    allowedHosts: ['keys.test', 'two.test'],
    extraRoots: ca.rootCertificate,
    ...options,
  });
  ends.push(() => resolver.close());
  return resolver;
}

function get(jwksUri: string, options: Partial<KeySetResolverOptions> = oneTry): Promise<KeySetResult> {
  return open({ ...oneTry, ...options }).get({ issuer, jwksUri });
}

async function kids(jwksUri: string, options?: Partial<KeySetResolverOptions>): Promise<unknown> {
  const { keySet, fault } = await get(jwksUri, options);
  return keySet === undefined ? fault : kidsOf(keySet.text);
}

interface Served {
  readonly dnsNames?: readonly string[];
  readonly days?: number;
}

/** With any option the server speaks TLS. */
async function serve(answer: RequestListener, options?: Served): Promise<KeyServer> {
  const certificate = options && (await ca.issue('spiffe://cluster.local/ns/a/sa/keys', options));
  const server = await startKeyServer(answer, certificate ? { certificate } : {});
  ends.push(() => server.close());
  return server;
}

const sendKeys: RequestListener = (_request, response) => void response.end(body);

function redirect(response: ServerResponse, location: string | undefined): void {
  response.writeHead(302, location === undefined ? {} : { location }).end();
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

function pour(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
  };
  response.on('drain', more);
  more();
}

function declare(response: ServerResponse, length: number): void {
  response.writeHead(200, { 'content-length': length }).flushHeaders();
}

function cutShort(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 1000 });
  response.write('{"keys":[', () => response.destroy());
}

function sendCompressed(response: ServerResponse): void {
  response.setHeader('content-encoding', 'gzip');
  response.end(gzipSync(body));
}
