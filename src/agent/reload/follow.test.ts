import { afterEach, describe, expect, test, vi } from 'vitest';
import { ChangeBell } from './follow.ts';

const dayMs = 86_400_000;

describe('ChangeBell', () => {
  afterEach(() => vi.useRealTimers());

  test('rings every month where that was asked for, not all the time, and not after its end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const bell = new ChangeBell();
    const ring = vi.spyOn(bell, 'ring');
    const end = bell.ringEvery(30 * dayMs);
    await vi.advanceTimersByTimeAsync(29 * dayMs);
    expect(ring).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(40 * dayMs);
    expect(ring).toHaveBeenCalledTimes(2);
    end();
    await vi.advanceTimersByTimeAsync(90 * dayMs);
    expect(ring).toHaveBeenCalledTimes(2);
  });
});
