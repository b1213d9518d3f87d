import { describe, expect, test } from 'vitest';
import { createTestClock } from '../identity/testing/test-clock.ts';
import { GrantCache } from './grant-cache.ts';
import { grantType, jwtType } from './names.ts';
import { ExchangeError, type TokenGrant, type TokenRequest } from './token-manager.ts';

const request = (changes: Partial<TokenRequest> = {}): TokenRequest => ({
  grantType,
  subjectToken: 'one',
  subjectTokenType: jwtType,
  scope: '',
  audience: '',
  resource: '',
  ...changes,
});
const away = new ExchangeError('away', 'unavailable');

/** A cache whose grants are numbered; each lives `seconds`. */
function cacheOf(seconds: number) {
  const clock = createTestClock();
  const it = { clock, fetched: 0, seconds, error: undefined as ExchangeError | undefined };
  const cache = new GrantCache(clock, async () => {
    const token = `grant ${++it.fetched}`;
    await Promise.resolve();
    if (it.error !== undefined) throw it.error;
    return { token, expiresAtMs: clock.wallMs() + it.seconds * 1_000 };
  });
  return Object.assign(it, { get: (changes = {}): Promise<TokenGrant> => cache.get(request(changes)) });
}

describe('GrantCache', () => {
  test('gives a token again while more than 300 s of it are left', async () => {
    const cache = cacheOf(3_600);
    await cache.get();
    await cache.clock.pass(3_200_000);
    expect(await cache.get()).toMatchObject({ token: 'grant 1' });
    await cache.clock.pass(100_000);
    expect(await cache.get()).toMatchObject({ token: 'grant 2' });
  });

  test('fetches a new one beside the answer shortly before that', async () => {
    const cache = cacheOf(3_600);
    await cache.get();
    await cache.clock.pass(3_250_000);
    expect(await cache.get()).toMatchObject({ token: 'grant 1' });
    await cache.clock.pass(1);
    expect(await cache.get()).toMatchObject({ token: 'grant 2' });
    expect(cache.fetched).toBe(2);
  });

  test('returns the valid token when a new one cannot be fetched, and tries once a second', async () => {
    const cache = cacheOf(3_600);
    await cache.get();
    await cache.clock.pass(3_250_000);
    cache.error = away;
    for (let i = 0; i < 3; i++) {
      expect(await cache.get()).toMatchObject({ token: 'grant 1' });
      await cache.clock.pass(1);
    }
    expect(cache.fetched).toBe(2);
  });

  test('keeps no token that lives for 300 s or less', async () => {
    const cache = cacheOf(300);
    await cache.get();
    expect(await cache.get()).toMatchObject({ token: 'grant 2' });
  });

  test.each<[string, Partial<TokenRequest>]>([
    ['another token, whatever its claims', { subjectToken: 'two' }],
    ['another scope', { scope: 's' }],
    ['another audience', { audience: 'a' }],
    ['another resource', { resource: 'r' }],
  ])('gives no other caller the token of %s', async (_name, other) => {
    const cache = cacheOf(3_600);
    await cache.get();
    expect(await cache.get(other)).toMatchObject({ token: 'grant 2' });
    expect(await cache.get()).toMatchObject({ token: 'grant 1' });
  });

  test('fetches once for all who ask at one time', async () => {
    const cache = cacheOf(3_600);
    const grants = await Promise.all([cache.get(), cache.get(), cache.get()]);
    expect(grants.map(({ token }) => token)).toEqual(['grant 1', 'grant 1', 'grant 1']);
  });

  test('answers with a failure for a second, then asks again', async () => {
    const cache = cacheOf(3_600);
    cache.error = away;
    await expect(cache.get()).rejects.toBe(away);
    await cache.clock.pass(999);
    await expect(cache.get()).rejects.toBe(away);
    expect(cache.fetched).toBe(1);
    cache.error = undefined;
    await cache.clock.pass(1);
    expect(await cache.get()).toMatchObject({ token: 'grant 2' });
  });

  test('keeps the 128 tokens that were asked for last, and junk pushes none out', async () => {
    const cache = cacheOf(3_600);
    for (let i = 0; i < 128; i++) await cache.get({ subjectToken: `t${i}` });
    cache.error = away;
    for (let i = 0; i < 200; i++) await cache.get({ subjectToken: `junk${i}` }).catch(() => undefined);
    cache.error = undefined;
    await cache.get({ subjectToken: 't0' });
    const before = cache.fetched;
    await cache.get({ subjectToken: 'new' });
    await cache.get({ subjectToken: 't0' });
    expect(cache.fetched).toBe(before + 1);
    await cache.get({ subjectToken: 't1' });
    expect(cache.fetched).toBe(before + 2);
  });
});
