import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTurns } from './turns.ts';

describe('createTurns', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setImmediate', 'clearImmediate'] }));
  afterEach(() => void vi.useRealTimers());

  test('lets eight requests continue in each turn of the event loop, in their order', async () => {
    const turn = createTurns();
    const gone: number[] = [];
    for (let i = 0; i < 20; i++) void turn().then(() => gone.push(i));
    const counts: number[] = [];
    while (vi.getTimerCount() > 0) {
      await vi.advanceTimersToNextTimerAsync();
      counts.push(gone.length);
    }
    expect(counts).toEqual([8, 16, 20]);
    expect(gone).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test('schedules no turn of the event loop while nobody waits, and resumes later', async () => {
    const turn = createTurns();
    for (let i = 0; i < 3; i++) {
      const gone = turn();
      expect(vi.getTimerCount()).toBe(1);
      await vi.advanceTimersToNextTimerAsync();
      await gone;
      expect(vi.getTimerCount()).toBe(0);
    }
  });
});
