import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PushQueue } from './push-queue.ts';

describe('PushQueue', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const setUp = (count: number, bytes = 1_000) => {
    const queue = new PushQueue({ count, bytes });
    const pushed: string[] = [];
    const names = new Map<string, object>();
    const who = (name: string): object => {
      const known = names.get(name) ?? { name };
      names.set(name, known);
      return known;
    };
    const ask = (name: string, size = 1, isUrgent = false): void =>
      queue.ask(who(name), { bytes: size, push: () => void pushed.push(name) }, isUrgent);
    return { queue, pushed, who, ask };
  };

  test('sends a limited number of pushes at once, and the next when one is answered', () => {
    const { queue, pushed, who, ask } = setUp(2);
    for (const name of ['a', 'b', 'c', 'd', 'c']) ask(name);
    expect(pushed).toEqual(['a', 'b']);
    queue.done(who('b'));
    expect(pushed).toEqual(['a', 'b', 'c']);
    queue.forget(who('a'));
    expect([pushed, queue.running, queue.waiting]).toEqual([['a', 'b', 'c', 'd'], 2, 0]);
  });

  test('sends a limited number of bytes at once, and a push above the limit alone', () => {
    const { queue, pushed, who, ask } = setUp(10, 100);
    ask('a', 60);
    ask('b', 60);
    ask('c', 30);
    expect(pushed).toEqual(['a', 'c']);
    queue.done(who('a'));
    expect(pushed).toEqual(['a', 'c', 'b']);
    ask('huge', 5_000);
    for (const name of ['b', 'c']) queue.done(who(name));
    expect(pushed).toEqual(['a', 'c', 'b', 'huge']);
  });

  test('sends urgent pushes first', () => {
    const { queue, pushed, who, ask } = setUp(1);
    for (const name of ['a', 'b', 'c']) ask(name);
    ask('c', 1, true);
    queue.done(who('a'));
    expect(pushed).toEqual(['a', 'c']);
  });

  test('frees a slot after a second, and lets slow clients delay only each other', () => {
    const { queue, pushed, who, ask } = setUp(1);
    ask('dead');
    ask('a');
    expect(pushed).toEqual(['dead']);
    vi.advanceTimersByTime(1_000);
    expect(pushed).toEqual(['dead', 'a']);
    queue.done(who('a'));
    ask('dead');
    ask('b');
    expect(pushed).toEqual(['dead', 'a', 'dead', 'b']);
    vi.advanceTimersByTime(999);
    expect(queue.running).toBe(2);
    queue.done(who('dead'));
    queue.done(who('b'));
    ask('dead');
    ask('c');
    expect(pushed.slice(4)).toEqual(['dead']);
  });

  test('frees the slots of many clients that do not answer small pushes after a tenth of a second', () => {
    const { pushed, who, ask, queue } = setUp(2);
    for (const name of ['dead', 'deaf', 'a', 'b', 'c']) ask(name);
    expect(pushed).toEqual(['dead', 'deaf']);
    vi.advanceTimersByTime(99);
    expect(pushed).toHaveLength(2);
    vi.advanceTimersByTime(2);
    expect(pushed).toEqual(['dead', 'deaf', 'a', 'b']);
    queue.done(who('a'));
    expect(pushed).toEqual(['dead', 'deaf', 'a', 'b', 'c']);
    // The two share the slots of those that are late from now on.
    for (const name of ['dead', 'deaf']) ask(name);
    expect(pushed.slice(5)).toEqual(['dead', 'deaf']);
  });

  test('sends to a slow client that answers while its next push waits behind other slow ones, at once', () => {
    const { pushed, who, ask, queue } = setUp(11);
    const slow = Array.from({ length: 11 }, (_, i) => `slow-${i}`);
    for (const name of slow) ask(name);
    vi.advanceTimersByTime(1_000);
    for (const name of slow) ask(name);
    expect(pushed).toHaveLength(21);
    queue.done(who('slow-10'));
    expect(pushed.slice(21)).toEqual(['slow-10']);
  });

  test('gives each slot back in its own time', () => {
    const { pushed, ask } = setUp(2, 1_000_000);
    ask('one', 100_000);
    vi.advanceTimersByTime(500);
    ask('two', 100_000);
    ask('three', 100_000);
    ask('four', 100_000);
    vi.advanceTimersByTime(500);
    expect(pushed).toEqual(['one', 'two', 'three']);
    vi.advanceTimersByTime(500);
    expect(pushed).toEqual(['one', 'two', 'three', 'four']);
  });

  test('frees slots of small pushes again and again', () => {
    const { pushed, ask } = setUp(1);
    for (const name of ['deaf', 'mute', 'a']) ask(name);
    vi.advanceTimersByTime(101);
    expect(pushed).toEqual(['deaf', 'mute']);
    vi.advanceTimersByTime(101);
    expect(pushed).toEqual(['deaf', 'mute', 'a']);
  });

  test('lets a large push keep its slot for a second although others wait', () => {
    const { pushed, ask } = setUp(1, 1_000_000);
    ask('large', 100_000);
    ask('a');
    vi.advanceTimersByTime(999);
    expect(pushed).toEqual(['large']);
    vi.advanceTimersByTime(1);
    expect(pushed).toEqual(['large', 'a']);
  });
});
