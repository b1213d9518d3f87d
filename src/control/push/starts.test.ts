import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { ResourceList } from '../../xds/resource-list.ts';
import { emptyView, ResourceView } from '../../xds/resource-view.ts';
import { bytesToStart, type Start, Starts } from './starts.ts';

const mebibyte = 1_048_576;

/** Asks for turns of so many MiB; those that have come so far. */
function ask(starts: Starts, ...sizes: readonly number[]): (Start | undefined)[] {
  const come: (Start | undefined)[] = sizes.map(() => undefined);
  for (const [i, size] of sizes.entries()) {
    void starts.turn(size * mebibyte).then((start) => {
      come[i] = start;
    });
  }
  return come;
}
const which = (come: readonly unknown[]): boolean[] => come.map((start) => start !== undefined);

describe('Starts', () => {
  test('let a limited number of streams start together, and the next ones once those have answered everything', async () => {
    const starts = new Starts();
    const come = ask(starts, 25, 25, 25, 25);
    await eventually(() => expect(which(come)).toEqual([true, true, false, false]));
    expect(starts.waiting).toBe(2);
    come[0]?.settled();
    await eventually(() => expect(which(come)).toEqual([true, true, true, false]));
    come[1]?.closed();
    await eventually(() => expect(which(come)).toEqual([true, true, true, true]));
  });

  test('do not mistake a pause between two answers for the end of a start', async () => {
    // On a busy machine a pause of the test itself would be as long as the end of a start.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const starts = new Starts();
    const come = ask(starts, 40, 40);
    await vi.advanceTimersByTimeAsync(0);
    expect(which(come)).toEqual([true, false]);
    for (let i = 0; i < 4; i++) {
      come[0]?.settled();
      await vi.advanceTimersByTimeAsync(50);
    }
    come[0]?.settled();
    come[0]?.active();
    await vi.advanceTimersByTimeAsync(150);
    expect(which(come)).toEqual([true, false]);
    come[0]?.settled();
    await vi.advanceTimersByTimeAsync(150);
    expect(which(come)).toEqual([true, true]);
  });
});

test("the size of a client's start is counted once for all lists, and is small for a client that knows its versions", () => {
  const list = new ResourceList([{ name: 'a', version: '1', body: new Uint8Array(200_000) }]);
  const view = new ResourceView(list, new ResourceList([{ name: 'b', version: '1', body: new Uint8Array(5) }]));
  const views = { clusters: view, endpoints: emptyView, listeners: emptyView, routes: emptyView };
  expect(bytesToStart(views, false)).toBe(200_005);
  expect(bytesToStart(views, true)).toBe(65_536);
});
