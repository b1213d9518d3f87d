import { describe, expect, test } from 'vitest';
import { FleetReach } from './fleet-reach.ts';
import type { ReplicaReport } from './replica-reports.ts';

/** Snapshots 1 to 4 of ours are of the inputs a to d; `old` is in force since 1, `new` since 3. */
const tracker = {
  progress: () => [
    { number: 2, inputs: 'b', streams: 1 },
    { number: 4, inputs: 'd', streams: 5 },
  ],
  numberOf: (inputs: string) => ({ a: 1, b: 2, c: 3, d: 4 })[inputs],
  inForceSince: (key: string) => ({ old: 1, new: 3 })[key],
};

async function reachWith(...progress: ReplicaReport['progress'][]) {
  const reports = progress.map((rows, i) => ({ identity: String(i), progress: rows }));
  const reach = new FleetReach(tracker, async () => reports);
  await reach.refresh();
  return { old: reach.of('old'), new: reach.of('new'), none: reach.of('none') };
}

describe('FleetReach', () => {
  test('counts own streams that have reached the snapshot of a version', async () => {
    expect(await reachWith()).toEqual({
      old: { proxies: 6, connected: 6, isKnownToAll: true },
      new: { proxies: 5, connected: 6, isKnownToAll: true },
      none: { proxies: 0, connected: 6, isKnownToAll: false },
    });
  });

  test("adds other replicas' streams by the digests of their inputs", async () => {
    const { old, new: now } = await reachWith(
      [
        ['a', 3],
        ['d', 10],
      ],
      [['c', 2]],
    );
    expect(old).toEqual({ proxies: 21, connected: 21, isKnownToAll: true });
    expect(now).toEqual({ proxies: 17, connected: 21, isKnownToAll: true });
  });

  test('counts streams at inputs that were never compiled here for the last ones before, and never too many', async () => {
    const { old, new: now } = await reachWith([
      ['x', 1],
      ['b', 1],
      ['y', 1],
      ['c', 1],
      ['z', 1],
    ]);
    expect(old).toMatchObject({ proxies: 10, connected: 11 });
    expect(now).toMatchObject({ proxies: 7, connected: 11 });
  });

  test('knows whether each replica serves the version, even where none of its streams has it', async () => {
    expect((await reachWith([['b', 0]])).new.isKnownToAll).toBe(false);
    expect(
      (
        await reachWith([
          ['b', 1],
          ['c', 0],
        ])
      ).new.isKnownToAll,
    ).toBe(true);
    expect(
      (
        await reachWith([
          ['b', 1],
          ['y', 4],
        ])
      ).new.isKnownToAll,
    ).toBe(false);
  });

  test('says whether something differs', async () => {
    let rows: ReplicaReport['progress'] = [['d', 1]];
    const reach = new FleetReach(tracker, async () => [{ identity: 'a', progress: rows }]);
    expect([await reach.refresh(), await reach.refresh()]).toEqual([true, false]);
    rows = [['d', 2]];
    expect(await reach.refresh()).toBe(true);
  });
});
