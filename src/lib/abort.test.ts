import { afterEach, describe, expect, test, vi } from 'vitest';
import { delay } from './abort.ts';

const dayMs = 86_400_000;

describe('delay', () => {
  afterEach(() => vi.useRealTimers());

  test('waits for months, which no timer of Node does', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const onEnd = vi.fn();
    void delay(60 * dayMs).then(onEnd);
    await vi.advanceTimersByTimeAsync(60 * dayMs - 1);
    expect(onEnd).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  test('ends with its signal in any part of the wait, and leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stop = new AbortController();
    const ended = delay(60 * dayMs, stop.signal);
    await vi.advanceTimersByTimeAsync(30 * dayMs);
    stop.abort();
    await ended;
    expect(vi.getTimerCount()).toBe(0);
  });
});
