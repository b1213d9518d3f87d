import { execFile } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import type { OutgoingObserver } from '../outgoing-observer.ts';
import { createCloudExchange } from './cloud-exchange.ts';
import { grantType, jwtType } from './names.ts';
import { serveTokens, type TokenServer } from './serve-tokens.ts';
import {
  accessAnswer,
  type CloudAnswer,
  canaries,
  ok,
  type SeenCall,
  startTestCloud,
  type TestCloud,
  workloadToken,
} from './testing/test-cloud.ts';

const clusterUrl = 'https://container.googleapis.com/v1/projects/p/locations/z/clusters/c';
const token = workloadToken();
const good = { grant_type: grantType, subject_token: token, subject_token_type: jwtType };
const scope = 'https://www.googleapis.com/auth/cloud-platform';

let cloud: TestCloud;
let server: TokenServer;
let heard: string[];
beforeEach(async () => {
  heard = [];
  cloud = await startTestCloud();
  server = await start();
});
afterEach(async () => {
  await server.close();
  cloud.close();
});

const outgoing: OutgoingObserver = {
  requested: (type) => void heard.push(`requested ${type}`),
  retried: (type) => void heard.push(`retried ${type}`),
  failed: (type) => void heard.push(`failed ${type}`),
  finished: (type, ms) => void heard.push(`finished ${type} ${ms > 0}`),
};

/** `trusts` is false for a client that knows none but the world's roots. */
function start({ trusts = true, origin = cloud.origin, clock = systemClock } = {}): Promise<TokenServer> {
  const manager = createCloudExchange(
    {
      trustDomain: 'cluster.local',
      clusterUrl,
      endpoints: { securityTokens: origin, credentials: origin },
      ...(trusts ? { roots: cloud.roots } : {}),
      clock,
      outgoing,
    },
    '7',
  );
  return serveTokens({ host: '127.0.0.1', port: 0, manager, clock });
}

/** One request by curl, to `path` of the service. */
async function curl(path: string, ...flags: readonly string[]) {
  const url = `http://127.0.0.1:${server.port}${path}`;
  const { stdout } = await promisify(execFile)('curl', ['-s', '-i', '-m', '20', ...flags, url]);
  const [head = '', body = ''] = stdout.replace('HTTP/1.1 100 Continue\r\n\r\n', '').split('\r\n\r\n');
  const json = (): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body, json };
}

const form = (changes: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.entries({ ...good, ...changes }).flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`]);
const ask = (changes: Readonly<Record<string, string>> = {}) => curl('/token', ...form(changes));

describe('POST /token', () => {
  test('gives what the cloud gives in two steps, and lets no cache keep it', async () => {
    const { status, head, body, json } = await ask();
    expect(status).toBe(200);
    expect(Object.keys(json()).join()).toBe('access_token,issued_token_type,token_type,expires_in,scope,refresh_token');
    expect(json()).toMatchObject({
      access_token: canaries.access,
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      scope: '',
      refresh_token: '',
    });
    expect(body).toMatch(/"expires_in":3(599|600|598),/);
    expect(head).toMatch(/^content-type: application\/json\r$/m);
    expect(head).toMatch(/^cache-control: no-store\r$/m);
    expect(head).toMatch(/^pragma: no-cache\r$/m);
    expect(cloud.seen).toEqual([
      {
        host: expect.any(String),
        path: '/v1/identitybindingtoken',
        authorization: undefined,
        body: JSON.stringify({
          audience: `identitynamespace:cluster.local:${clusterUrl}`,
          grantType,
          requestedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
          subjectTokenType: jwtType,
          subjectToken: token,
          scope,
        }),
      },
      {
        host: expect.any(String),
        path: '/v1/projects/-/serviceAccounts/service-7@gcp-sa-meshdataplane.iam.gserviceaccount.com:generateAccessToken',
        authorization: `Bearer ${canaries.federated}`,
        body: JSON.stringify({ name: '', delegates: [], scope: [scope], lifetime: '3600s' }),
      },
    ]);
    expect(heard).toEqual(['requested token_exchange', 'finished token_exchange true']);
  });

  test('asks the cloud for the scope of the request, in the first step alone', async () => {
    await ask({ scope: 'one two' });
    const scopes = cloud.seen.map(({ body }) => (JSON.parse(body) as { scope: unknown }).scope);
    expect(scopes).toEqual(['one two', [scope]]);
  });

  test('asks the cloud once for equal requests, and again for another token of the same claims', async () => {
    await Promise.all([ask(), ask(), ask()]);
    expect((await ask()).status).toBe(200);
    expect(cloud.seen).toHaveLength(2);
    const forged = token.replace(/[^.]*$/, 'forged');
    cloud.answer = () => ({ status: 403, body: 'bad signature' });
    expect((await ask({ subject_token: forged })).status).toBe(500);
    expect((await ask()).status).toBe(200);
  });

  test('keeps no token that is short of life', async () => {
    cloud.answer = (call) => (isFirst(call) ? cloud.good(call) : ok(accessAnswer(200)));
    expect((await ask()).json().expires_in).toBeLessThanOrEqual(200);
    await ask();
    expect(cloud.seen).toHaveLength(4);
  });

  test.each<[string, readonly string[], number]>([
    ['a charset behind the type', ['-H', 'Content-Type: Application/X-WWW-Form-Urlencoded; charset=utf-8'], 200],
    ['JSON', ['-H', 'Content-Type: application/json'], 400],
    ['no type', ['-H', 'Content-Type:'], 400],
    ['a compressed body', ['-H', 'Content-Encoding: gzip'], 400],
    ['GET with the parameters in the query', ['-G'], 400],
    ['another method', ['-X', 'PUT'], 400],
    ['another name for us', ['-H', 'Host: evil.example'], 403],
    ['a page', ['-H', 'Origin: http://localhost'], 403],
    ['the query beside the body', ['--url-query', 'subject_token=x'], 200],
    ['a repeated parameter', ['-d', 'scope=a', '-d', 'scope=b'], 400],
    ['64 KiB', ['-d', `x=${'a'.repeat(65_536)}`], 413],
    ['a header of 9,000 bytes', ['-H', `X: ${'a'.repeat(9_000)}`], 431],
    ['parts of unknown number', ['-H', 'Transfer-Encoding: chunked'], 200],
  ])('answers to a good request with %s', async (_name, flags, expected) => {
    const { status, json, head } = await curl('/token', ...form(), ...flags);
    expect(status).toBe(expected);
    if (status !== 431) expect(head).toContain('cache-control: no-store');
    if ([400, 403, 413].includes(status)) {
      expect(json()).toEqual({ error: 'invalid_request', error_description: expect.any(String), error_uri: '' });
      expect(cloud.seen).toEqual([]);
    }
  });

  test('ends a connection that brings nothing, and does not wait for the next request on one', async () => {
    const bodiless = `POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    const started = performance.now();
    const socket = connect(server.port, '127.0.0.1', () => socket.write('POST /token HTTP/1.1\r\n'));
    await new Promise((resolve) => socket.resume().once('close', resolve));
    expect(performance.now() - started).toBeLessThan(9_000);
    const one = connect(server.port, '127.0.0.1', () => one.write(`${bodiless}Content-Length: 0\r\n\r\n`));
    const text: string = await new Promise((resolve) => {
      let all = '';
      one.on('data', (part) => (all += part)).once('end', () => resolve(all));
    });
    expect(text).toMatch(/connection: close/i);
  });
});

describe('a cloud that does not do as it should', () => {
  const accessOnly = (answer: CloudAnswer) => (call: SeenCall) => (isFirst(call) ? cloud.good(call) : answer);
  const garbage = { accessToken: canaries.access, expireTime: 'soon' };

  test('is asked again after faults of its own, with the whole request each time', async () => {
    let left = 4;
    cloud.answer = (call) => (left-- > 0 ? { status: 503, body: 'later' } : cloud.good(call));
    expect((await ask()).status).toBe(200);
    expect(new Set(cloud.seen.slice(0, 5).map(({ body }) => body)).size).toBe(1);
    expect(cloud.seen).toHaveLength(6);
    expect(heard.filter((it) => it.startsWith('retried'))).toHaveLength(4);
    expect(heard.filter((it) => it.startsWith('requested'))).toHaveLength(1);
  });

  test.each<[string, () => TestCloud['answer'], RegExp, number]>([
    ['500 for ever', () => () => ({ status: 500, body: 'x' }), /^localhost:\d+ answers 500: x$/, 5],
    ['a status that stays', () => () => ({ status: 501, body: 'x' }), /answers 501/, 1],
    [
      'a refusal',
      () => () => ({ status: 403, body: `{"error": "no ${token}"}` }),
      /answers 403: \{"error": "no \[re/,
      1,
    ],
    ['a redirection', () => () => ({ status: 302, body: '' }), /answers 302/, 1],
    [
      'a refusal in the second step that repeats its token',
      () => accessOnly({ status: 404, body: `no account for ${canaries.federated}` }),
      /answers 404: no account for \[redacted\]$/,
      2,
    ],
    ['no JSON', () => () => ({ status: 200, body: canaries.access }), /something else than a JSON object/, 1],
    ['no token', () => () => ok({ token: canaries.access }), /answers without access_token/, 1],
    ['a token with a line break', () => () => ok({ access_token: 'a\r\nb' }), /answers without access_token/, 1],
    ['no second token', () => accessOnly(ok({ access: canaries.access })), /answers without accessToken/, 2],
    ['a dead token', () => accessOnly(ok(accessAnswer(-1))), /a token that has expired/, 2],
    ['100 KB', () => () => ({ status: 200, body: 'x'.repeat(100_000) }), /longer than 65536 bytes/, 5],
  ])('is told of: %s', async (_name, answer, message, calls) => {
    cloud.answer = answer();
    const { status, json, head, body } = await ask();
    expect([status, json().error, json().error_uri]).toEqual([500, 'invalid_target', '']);
    expect(json().error_description).toMatch(message);
    expect(head).toMatch(/^retry-after: 1\r$/m);
    expect(cloud.seen).toHaveLength(calls);
    for (const secret of [token, ...Object.values(canaries)]) expect(body).not.toContain(secret);
    expect(heard.slice(-2)).toEqual(['failed token_exchange', 'finished token_exchange true']);
  });

  test('is not asked again at once', async () => {
    cloud.answer = () => ({ status: 403, body: 'no' });
    await Promise.all([ask(), ask()]);
    expect(cloud.seen).toHaveLength(1);
  });

  test('is believed for an hour when it does not say how long', async () => {
    cloud.answer = accessOnly(ok(garbage));
    expect((await ask()).json().expires_in).toBeGreaterThan(3_590);
  });

  test('is given 5 s for an answer and 8 s in all', async () => {
    cloud.answer = () => 'silence';
    const started = performance.now();
    expect((await ask()).json().error_description).toMatch(/does not answer within \d+ ms/);
    const tookMs = performance.now() - started;
    expect(tookMs).toBeGreaterThan(7_000);
    expect(tookMs).toBeLessThan(10_000);
    expect(cloud.seen).toHaveLength(2);
  });

  test('gets no token before it has shown a certificate of its name', async () => {
    await server.close();
    server = await start({ trusts: false });
    expect((await ask()).json().error_description).toMatch(/cannot be asked: UNABLE_TO_VERIFY_LEAF_SIGNATURE/);
    await server.close();
    server = await start({ origin: cloud.origin.replace('localhost', '127.0.0.1') });
    expect((await ask()).json().error_description).toMatch(/cannot be asked: ERR_TLS_CERT_ALTNAME_INVALID/);
    expect(cloud.seen).toEqual([]);
  });

  test('is away', async () => {
    cloud.close();
    expect((await ask()).json().error_description).toMatch(/cannot be asked: ECONNREFUSED/);
  });
});

describe('GET /stsStatus and /dump', () => {
  test('tell when tokens were had, and none of them', async () => {
    expect((await curl('/dump')).body).toBe('{"tokens":[]}');
    await ask();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    for (const path of ['/stsStatus', '/dump?x']) {
      const { status, json } = await curl(path);
      expect(status).toBe(200);
      expect(json()).toEqual({
        tokens: [
          { token_type: 'federated token', issue_time: time, expire_time: time, token: '' },
          { token_type: 'access token', issue_time: time, expire_time: time, token: '' },
        ],
      });
    }
  });

  test('are for programs of this machine', async () => {
    expect((await curl('/dump', '-H', 'Host: evil.example')).status).toBe(403);
    expect((await curl('/dump', '-X', 'POST')).status).toBe(405);
    expect((await curl('/token/')).status).toBe(404);
    expect((await curl('/')).status).toBe(404);
  });
});

describe('serveTokens', () => {
  test('serves errors without a plug-in', async () => {
    await server.close();
    server = await serveTokens({ host: '127.0.0.1', port: 0, manager: undefined, clock: systemClock });
    const { status, json } = await ask();
    expect([status, json().error, json().error_description]).toEqual([500, 'invalid_target', expect.any(String)]);
    expect(await curl('/stsStatus')).toMatchObject({ status: 500, body: 'no token manager plug-in is there\n' });
  });

  test('listens on loopback of IPv6 when told to, and nowhere else', async () => {
    await server.close();
    server = await serveTokens({ host: '::1', port: 0, manager: undefined, clock: systemClock });
    const { stdout } = await promisify(execFile)('curl', ['-s', `http://[::1]:${server.port}/stsStatus`]);
    expect(stdout).toContain('no token manager');
    await expect(curl('/stsStatus')).rejects.toMatchObject({ code: 7 });
  });

  test('holds 64 connections at a time, and answers again once they are gone', async () => {
    const sockets = Array.from({ length: 70 }, () => connect(server.port, '127.0.0.1').on('error', () => undefined));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)));
    await vi.waitFor(() => expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(6), { interval: 20 });
    await Promise.all(closed);
    expect((await ask()).status).toBe(200);
  });

  test('fails when its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { readonly port: number };
    const options = { host: '127.0.0.1', port, manager: undefined, clock: systemClock } as const;
    await expect(serveTokens(options)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    other.close();
  });
});

function isFirst({ path }: SeenCall): boolean {
  return path === '/v1/identitybindingtoken';
}
