import { beforeEach, describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../kubernetes/api.ts';
import { KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import { createTokenMint } from '../testing/token-mint.ts';
import { createAccountReader } from './account-reader.ts';

const mint = createTokenMint();

describe('createAccountReader', () => {
  /** Namespaces that the account may read, `*` for all. */
  let allowed: Set<string>;
  let isAway: boolean;
  let asked: string[];
  let nowMs: number;
  let token: string;
  let read: (query?: string) => Promise<unknown>;

  beforeEach(async () => {
    [allowed, isAway, asked, nowMs] = [new Set(), false, [], 0];
    token = await mint.mint('ops/reader', { claims: { aud: ['mesh-debug'] } });
    const ask = async <T>({ path, body }: ApiRequest): Promise<T> => {
      if (path.endsWith('/tokenreviews')) return { status: review } as T;
      if (isAway) throw new KubernetesError('api-unreachable', 'no answer');
      const { resourceAttributes } = (body as { spec: { resourceAttributes: { namespace: string } } }).spec;
      asked.push(resourceAttributes.namespace);
      return { status: { allowed: allowed.has(resourceAttributes.namespace || '*') } } as T;
    };
    const authenticate = createAccountReader({ api: { ask }, clock: Date.now, elapsedMs: () => nowMs });
    read = async (query = '') => {
      const shown = await authenticate({ token, address: '127.0.0.1', query: new URLSearchParams(query) });
      return shown.reader?.namespaces ?? shown;
    };
  });
  const review = {
    ...{ authenticated: true, audiences: ['mesh-debug'] },
    user: { username: 'system:serviceaccount:ops:reader', groups: ['system:serviceaccounts'] },
  };

  test.each([
    ['proxy=foo/a', ['foo']],
    ['resource=AuthorizationPolicy/foo/a', ['foo']],
    ['namespace=foo&namespace=bar&namespace=baz', ['foo', 'bar']],
    ['', ['ops']],
    ['proxy=foo', ['foo']],
    ['proxy=../a&namespace=FOO', ['ops']],
  ])('shows of "%s" the namespaces that the account may read', async (query, expected) => {
    allowed = new Set(['foo', 'bar', 'ops']);
    expect(await read(query)).toEqual(new Set(expected));
  });

  test('shows only what the account may read, and everything to an account that may read all namespaces', async () => {
    expect(await read('proxy=foo/a')).toEqual(new Set());
    allowed.add('*');
    nowMs += 10_000;
    expect(await read('proxy=foo/a')).toBe('all');
  });

  test('keeps an answer for ten seconds', async () => {
    allowed.add('foo');
    await read('proxy=foo/a');
    await read('proxy=foo/b');
    expect(asked).toEqual(['', 'foo']);
    allowed.clear();
    nowMs += 10_000;
    expect(await read('proxy=foo/a')).toEqual(new Set());
  });

  test('refuses everybody while the API server does not answer, and asks about at most 20 namespaces', async () => {
    isAway = true;
    expect(await read()).toEqual({ problem: 'no answer', isOurFault: true });
    isAway = false;
    await read(Array.from({ length: 50 }, (_, i) => `namespace=n${i}`).join('&'));
    expect(asked).toHaveLength(1 + 20);
  });
});
