import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  accessAnswer,
  type CloudAnswer,
  canaries,
  isFirst,
  ok,
  type SeenCall,
  type TestCloud,
} from './testing/test-cloud.ts';
import { startTokenBench, type TokenBench, token } from './testing/token-bench.ts';

let bench: TokenBench;
beforeEach(async () => {
  bench = await startTokenBench();
});
afterEach(() => bench.close());

describe('a cloud that does not do as it should', () => {
  const accessOnly = (answer: CloudAnswer) => (call: SeenCall) => (isFirst(call) ? bench.cloud.good(call) : answer);
  const garbage = { accessToken: canaries.access, expireTime: 'soon' };

  test('gets the request again, with its body, after a fault of its own', async () => {
    let left = 4;
    bench.cloud.answer = (call) => (left-- > 0 ? { status: 503, body: 'later' } : bench.cloud.good(call));
    expect((await bench.ask()).status).toBe(200);
    expect(new Set(bench.cloud.seen.slice(0, 5).map(({ body }) => body)).size).toBe(1);
    expect(bench.cloud.seen).toHaveLength(6);
    expect(bench.heard.filter((it) => it.startsWith('retried'))).toHaveLength(4);
    expect(bench.heard.filter((it) => it.startsWith('requested'))).toHaveLength(1);
  });

  test.each<[string, () => TestCloud['answer'], RegExp, number]>([
    ['500 for ever', () => () => ({ status: 500, body: 'x' }), /^localhost:\d+ answers 500: x$/, 5],
    ['a status that stays', () => () => ({ status: 501, body: 'x' }), /answers 501/, 1],
    ['a version that it does not speak', () => () => ({ status: 505, body: 'x' }), /answers 505/, 1],
    ['a network that wants a login', () => () => ({ status: 511, body: 'x' }), /answers 511/, 1],
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
    bench.cloud.answer = answer();
    const { status, json, head, body } = await bench.ask();
    expect([status, json().error, json().error_uri]).toEqual([500, 'invalid_target', '']);
    expect(json().error_description).toMatch(message);
    expect(head).toMatch(/^retry-after: 1\r$/m);
    expect(bench.cloud.seen).toHaveLength(calls);
    for (const secret of [token, ...Object.values(canaries)]) expect(body).not.toContain(secret);
    expect(bench.heard.slice(-2)).toEqual(['failed token_exchange', 'finished token_exchange true']);
  });

  test('is not asked again at once', async () => {
    bench.cloud.answer = () => ({ status: 403, body: 'no' });
    await Promise.all([bench.ask(), bench.ask()]);
    expect(bench.cloud.seen).toHaveLength(1);
  });

  test('has its token cached for an hour if it gives no expiry', async () => {
    bench.cloud.answer = accessOnly(ok(garbage));
    expect((await bench.ask()).json().expires_in).toBeGreaterThan(3_590);
  });

  test('gets no token before it has shown a certificate of its name', async () => {
    await bench.serve({ trusts: false });
    expect((await bench.ask()).json().error_description).toMatch(/cannot be asked: UNABLE_TO_VERIFY_LEAF_SIGNATURE/);
    await bench.serve({ origin: bench.cloud.origin.replace('localhost', '127.0.0.1') });
    expect((await bench.ask()).json().error_description).toMatch(/cannot be asked: ERR_TLS_CERT_ALTNAME_INVALID/);
    expect(bench.cloud.seen).toEqual([]);
  });

  test('is away', async () => {
    bench.cloud.close();
    expect((await bench.ask()).json().error_description).toMatch(/cannot be asked: ECONNREFUSED/);
  });
});
