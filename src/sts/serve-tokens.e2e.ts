import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../lib/clock.ts';
import { grantType, jwtType } from './names.ts';
import { serveTokens } from './serve-tokens.ts';
import { accessAnswer, canaries, isFirst, ok } from './testing/test-cloud.ts';
import { clusterUrl, form, scope, startTokenBench, type TokenBench, token } from './testing/token-bench.ts';

let bench: TokenBench;
beforeEach(async () => {
  bench = await startTokenBench();
});
afterEach(() => bench.close());

describe('POST /token', () => {
  test('gives what the cloud gives in two steps, and lets no cache keep it', async () => {
    const { status, head, body, json } = await bench.ask();
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
    expect(bench.cloud.seen).toEqual([
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
    expect(bench.heard).toEqual(['requested token_exchange', 'finished token_exchange true']);
  });

  test('asks the cloud for the scope of the request, in the first step alone', async () => {
    await bench.ask({ scope: 'one two' });
    const scopes = bench.cloud.seen.map(({ body }) => (JSON.parse(body) as { scope: unknown }).scope);
    expect(scopes).toEqual(['one two', [scope]]);
  });

  test('asks the cloud once for equal requests, and again for another token of the same claims', async () => {
    await Promise.all([bench.ask(), bench.ask(), bench.ask()]);
    expect((await bench.ask()).status).toBe(200);
    expect(bench.cloud.seen).toHaveLength(2);
    const forged = token.replace(/[^.]*$/, 'forged');
    bench.cloud.answer = () => ({ status: 403, body: 'bad signature' });
    expect((await bench.ask({ subject_token: forged })).status).toBe(500);
    expect((await bench.ask()).status).toBe(200);
  });

  test('keeps no token that is short of life', async () => {
    bench.cloud.answer = (call) => (isFirst(call) ? bench.cloud.good(call) : ok(accessAnswer(200)));
    expect((await bench.ask()).json().expires_in).toBeLessThanOrEqual(200);
    await bench.ask();
    expect(bench.cloud.seen).toHaveLength(4);
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
    const { status, json, head } = await bench.curl('/token', ...form(), ...flags);
    expect(status).toBe(expected);
    if (status !== 431) expect(head).toContain('cache-control: no-store');
    if ([400, 403, 413].includes(status)) {
      expect(json()).toEqual({ error: 'invalid_request', error_description: expect.any(String), error_uri: '' });
      expect(bench.cloud.seen).toEqual([]);
    }
  });
});

describe('GET /stsStatus and /dump', () => {
  test('show when tokens were issued, and never a token', async () => {
    expect((await bench.curl('/dump')).body).toBe('{"tokens":[]}');
    await bench.ask();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    for (const path of ['/stsStatus', '/dump?x']) {
      const { status, json } = await bench.curl(path);
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
    expect((await bench.curl('/dump', '-H', 'Host: evil.example')).status).toBe(403);
    expect((await bench.curl('/dump', '-X', 'POST')).status).toBe(405);
    expect((await bench.curl('/token/')).status).toBe(404);
    expect((await bench.curl('/')).status).toBe(404);
  });
});

describe('serveTokens', () => {
  test('serves errors without a plug-in', async () => {
    await bench.serve({ withManager: false });
    const { status, json } = await bench.ask();
    expect([status, json().error, json().error_description]).toEqual([500, 'invalid_target', expect.any(String)]);
    expect(await bench.curl('/stsStatus')).toMatchObject({ status: 500, body: 'no token manager plug-in is there\n' });
  });

  test('listens on loopback of IPv6 when told to, and nowhere else', async () => {
    await bench.serve({ host: '::1', withManager: false });
    const { stdout } = await promisify(execFile)('curl', ['-s', `http://[::1]:${bench.server.port}/stsStatus`]);
    expect(stdout).toContain('no token manager');
    await expect(bench.curl('/stsStatus')).rejects.toMatchObject({ code: 7 });
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
