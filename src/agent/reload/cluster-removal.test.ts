import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sampleFiles } from '../testing/sample-proxy.ts';
import { ClusterRemoval } from './cluster-removal.ts';

describe('ClusterRemoval', () => {
  let stop: AbortController;
  let isBusy: boolean;
  let fails: boolean;
  let dueAtMs: number | undefined;
  let removedAtMs: number[];
  let told: string[];
  let removal: ClusterRemoval;

  const current = sampleFiles({ configPath: '/run/proxy', adminPort: 1, httpPort: 2, body: 'one' });
  const files = {
    get leavesInMs(): number | undefined {
      return dueAtMs === undefined ? undefined : Math.max(0, dueAtMs - performance.now());
    },
    async removeLeft(of: typeof current): Promise<void> {
      expect(of).toBe(current);
      if (fails) throw new Error('ENOSPC');
      removedAtMs.push(performance.now());
      dueAtMs = undefined;
    },
  };

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    [stop, isBusy, fails, dueAtMs, removedAtMs, told] = [new AbortController(), false, false, undefined, [], []];
    removal = new ClusterRemoval({
      ...{ files, current: () => current, isBusy: () => isBusy, signal: stop.signal },
      log: { warn: (text) => void told.push(text) },
    });
  });
  afterEach(() => void vi.useRealTimers());

  /** A reload after which clusters leave in so many milliseconds. */
  const reloaded = (ms: number | undefined): void => {
    dueAtMs = ms === undefined ? undefined : performance.now() + ms;
    removal.begin();
  };

  test('removes clusters once their time is over, however many reloads end meanwhile', async () => {
    const began = performance.now();
    reloaded(2_000);
    await vi.advanceTimersByTimeAsync(500);
    removal.begin();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(removedAtMs.map((at) => at - began)).toEqual([2_000]);
    reloaded(undefined);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(removedAtMs).toHaveLength(1);
  });

  test('touches no file during a reload, and removes them after it', async () => {
    reloaded(2_000);
    isBusy = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(removedAtMs).toEqual([]);
    isBusy = false;
    removal.begin();
    await vi.advanceTimersByTimeAsync(1);
    expect(removedAtMs).toHaveLength(1);
  });

  test('leaves what fails to the end of the next reload, and does nothing once the agent stops', async () => {
    fails = true;
    reloaded(10);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual(['clusters that are gone cannot be taken from Envoy yet']);
    await removal.written;
    fails = false;
    removal.begin();
    await vi.advanceTimersByTimeAsync(1);
    expect(removedAtMs).toHaveLength(1);
    reloaded(10);
    stop.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(removedAtMs).toHaveLength(1);
  });
});
