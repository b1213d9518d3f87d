import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Debounce } from './debounce.ts';

describe('Debounce', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const setUp = (workMs = 0) => {
    const beganMs = performance.now();
    const worked: number[] = [];
    const debounce = new Debounce({ afterMs: 100, maxMs: 10_000 }, async () => {
      worked.push(Math.round(performance.now() - beganMs));
      if (workMs > 0) await new Promise((resolve) => setTimeout(resolve, workMs));
    });
    return { debounce, worked };
  };

  test('runs after a time without changes', async () => {
    const { debounce, worked } = setUp();
    for (let i = 0; i < 3; i++) {
      debounce.add();
      await vi.advanceTimersByTimeAsync(60);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(worked).toEqual([220]);
  });

  test.each([
    [30, 70],
    [90, 50],
    [-20, 100],
  ])('counts %d ms of quiet before an event, and waits %d ms', async (quietMs, waitedMs) => {
    const { debounce, worked } = setUp();
    debounce.add({ quietSinceMs: performance.now() - quietMs });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(worked).toEqual([waitedMs]);
  });

  test('counts no time before an event as quiet after which another one has come', async () => {
    const { debounce, worked } = setUp();
    debounce.add();
    await vi.advanceTimersByTimeAsync(5);
    debounce.add({ quietSinceMs: performance.now() - 90 });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(worked).toEqual([100]);
  });

  test('runs at the latest after the longest time, if changes never pause', async () => {
    const { debounce, worked } = setUp();
    for (let i = 0; i < 220; i++) {
      debounce.add();
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(worked).toEqual([10_000]);
  });

  test('runs within 200 ms for changes that may remove access, if changes never pause', async () => {
    const { debounce, worked } = setUp();
    for (let i = 0; i < 20; i++) {
      debounce.add({ isUrgent: i === 4 });
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(worked[0]).toBeGreaterThanOrEqual(200);
    expect(worked[0]).toBeLessThanOrEqual(400);
  });

  test('runs at once if requested', async () => {
    const { debounce, worked } = setUp();
    debounce.add({ isAtOnce: true });
    await vi.advanceTimersByTimeAsync(1);
    expect(worked).toEqual([0]);
  });

  test('collects changes while it runs, and never runs twice at a time', async () => {
    const { debounce, worked } = setUp(500);
    debounce.add();
    await vi.advanceTimersByTimeAsync(300);
    debounce.add();
    debounce.add({ isAtOnce: true });
    await vi.advanceTimersByTimeAsync(2_000);
    // A timer of no time takes a millisecond.
    expect(worked).toEqual([100, 601]);
    debounce.close();
    debounce.add();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(worked).toHaveLength(2);
  });
});
