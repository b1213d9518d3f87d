import { afterEach, describe, expect, test, vi } from 'vitest';
import type { AdminClient } from '../../envoy/admin.ts';
import { waitInForce } from './in-force.ts';

describe('waitInForce', () => {
  afterEach(() => vi.useRealTimers());

  test('does not take an admin interface that cannot be reached for one that shows the versions', async () => {
    const get: AdminClient['get'] = () => Promise.reject(new Error('connect ECONNREFUSED'));
    const options = { timeoutMs: 60, signal: new AbortController().signal, refusalsBefore: 0 };
    expect(await waitInForce({ get, post: get }, {}, options)).toEqual({
      isInForce: false,
      missing: ['connect ECONNREFUSED'],
      isRefused: false,
    });
  });

  test('asks often at first, and ever less often an Envoy that waits for what does not come', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let asked = 0;
    const get: AdminClient['get'] = async () => {
      asked++;
      return { status: 200, body: '{"stats":[]}' };
    };
    const stop = new AbortController();
    const options = { timeoutMs: 86_400_000, signal: stop.signal, refusalsBefore: Number.POSITIVE_INFINITY };
    const result = waitInForce({ get, post: get }, { listeners: 'one' }, options);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toBeGreaterThan(50);
    await vi.advanceTimersByTimeAsync(59_000);
    asked = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBeLessThan(600);
    stop.abort();
    expect(await result).toMatchObject({ isInForce: false, isRefused: false });
  });
});
