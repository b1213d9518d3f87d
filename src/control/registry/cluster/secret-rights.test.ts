import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ApiRequest } from '../../../kubernetes/api.ts';
import { KubernetesError } from '../../../kubernetes/kubernetes-error.ts';
import { AccountRights, type SecretWish } from './secret-rights.ts';

const shop: SecretWish = { namespace: 'edge', serviceAccount: 'gateway', secret: 'shop' };
const spare: SecretWish = { ...shop, secret: 'spare' };

describe('AccountRights', () => {
  /** Names of Secrets that may be read; a server that is away, or that is slow to answer. */
  let allowed: Set<string>;
  let server: 'here' | 'away' | 'silent';
  let waiting: (() => void)[];
  let asked: object[];
  let problems: string[];
  let changes: number;

  beforeEach(() => {
    vi.useFakeTimers();
    [allowed, server, waiting, asked, problems, changes] = [new Set(), 'here', [], [], [], 0];
  });
  afterEach(() => void vi.useRealTimers());

  function open(): AccountRights {
    const api = {
      ask: async <T>({ body }: ApiRequest): Promise<T> => {
        const { spec } = body as { spec: { resourceAttributes: { name: string } } };
        asked.push(spec);
        if (server === 'away') throw new KubernetesError('api-unreachable', 'no answer');
        if (server === 'silent') await new Promise<void>((resolve) => waiting.push(resolve));
        return { status: { allowed: allowed.has(spec.resourceAttributes.name) } } as T;
      },
    };
    const onProblem = (text: string): void => void problems.push(text);
    const rights = new AccountRights({ api, onProblem, onChange: () => void changes++ });
    onTestFinished(() => rights.close());
    return rights;
  }
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
  /** A compilation waits for it. */
  async function want(rights: AccountRights, ...wishes: readonly SecretWish[]): Promise<number> {
    const startMs = performance.now();
    let tookMs = -1;
    void rights.want(wishes).then(() => {
      tookMs = performance.now() - startMs;
    });
    await pass(10_000);
    return tookMs;
  }

  test("asks whether the gateway's account, with all its groups, may get the Secret by its name", async () => {
    allowed.add('shop');
    const rights = open();
    expect(await want(rights, shop, spare)).toBe(0);
    expect([rights.allows(shop), rights.allows(spare)]).toEqual([true, false]);
    expect(asked[0]).toEqual({
      user: 'system:serviceaccount:edge:gateway',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:edge', 'system:authenticated'],
      resourceAttributes: {
        verb: 'get',
        group: '',
        version: '*',
        resource: 'secrets',
        namespace: 'edge',
        name: 'shop',
      },
    });
    expect(problems).toEqual([expect.stringMatching(/account edge\/gateway are not given the Secret edge\/spare,/)]);
    expect(rights.allows({ ...shop, serviceAccount: 'other' })).toBe(false);
  });

  test('asks again, sooner after a refusal, and reports each change', async () => {
    const rights = open();
    await want(rights, shop);
    allowed.add('shop');
    await pass(11_000);
    expect([rights.allows(shop), changes]).toEqual([true, 1]);
    allowed.clear();
    await pass(62_000);
    expect([rights.allows(shop), changes]).toEqual([false, 2]);
    const before = asked.length;
    await want(rights);
    await pass(120_000);
    expect(asked).toHaveLength(before);
  });

  test('refuses a Secret without any answer, and keeps the last answer while the API server does not answer', async () => {
    server = 'away';
    const rights = open();
    expect(await want(rights, shop)).toBe(0);
    expect(rights.allows(shop)).toBe(false);
    expect(problems[0]).toMatch(/may get the Secret edge\/shop is not known now: no answer$/);
    server = 'here';
    allowed.add('shop');
    await pass(11_000);
    expect(rights.allows(shop)).toBe(true);
    server = 'away';
    await pass(600_000);
    expect(rights.allows(shop)).toBe(true);
  });

  test('delays a compilation for two seconds, once, and reports a later answer', async () => {
    server = 'silent';
    allowed.add('shop');
    const rights = open();
    expect(await want(rights, shop)).toBe(2_000);
    expect(await want(rights, shop)).toBe(0);
    expect(rights.allows(shop)).toBe(false);
    for (const answer of waiting) answer();
    await pass(0);
    expect([rights.allows(shop), changes]).toEqual([true, 1]);
  });
});
