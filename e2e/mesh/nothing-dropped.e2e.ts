import { afterAll, beforeAll, expect, test } from 'vitest';
import { tries } from '../../src/testing/effort.ts';
import { total } from '../load/counts.ts';
import { refusals } from '../load/load-mesh.ts';
import { addStrangers, reload } from '../load/reloads.ts';
import { rotate } from '../load/rotations.ts';
import { type BothCounts, formatBoth, type LoadBench, openLoadBench } from '../load/under-load.ts';
import { describeMesh } from '../testing/describe-mesh.ts';

/** Each kind of change twice. */
const reloads = tries(20, 10);
const rotations = tries(8, 12);
/** A minute in `make soak`. */
const streamSeconds = tries(12, 5);
const server = 'foo/server-0';
const pods = ['foo/client', server];

describeMesh('a mesh under load', () => {
  let bench: LoadBench;
  beforeAll(async () => {
    bench = await openLoadBench(1);
  });
  afterAll(() => bench?.testbed.close());

  const expectNoneFailed = async (what: string, runs: BothCounts): Promise<void> => {
    process.stdout.write(formatBoth(what, runs));
    const failures = runs.flatMap((run) => run.failures);
    expect(failures, failures.length > 0 ? await refusals(bench.testbed, pods) : '').toEqual([]);
    // Asked for are 180 a second, and 300 in `make soak`; what a busy machine leaves out is no drop.
    expect(runs.reduce((sum, run) => sum + total(run).requests / run.seconds, 0)).toBeGreaterThan(40);
  };

  test(`drops nothing while policies, routes and services change ${reloads} times`, async () => {
    const requests = (): Promise<number> =>
      bench.testbed.sidecar(server).counter('inbound_8000.downstream_rq_http2_total');
    const before = await requests();
    const runs = await bench.during(() => reload(bench.testbed, reloads));
    await expectNoneFailed(`${reloads} reloads`, runs);
    // What the client moved to another connection the server has seen once.
    expect((await requests()) - before).toBe(runs[1].manners.http2.requests);
  });

  test(`drops nothing while certificates of both sides are replaced ${rotations} times`, async () => {
    const runs = await bench.during(() => rotate(bench.testbed, pods, rotations));
    await expectNoneFailed(`${rotations} rotations`, runs);
  });

  test(`drops no stream of ${streamSeconds} s through 20 reloads that do not concern it`, async () => {
    const lines = streamSeconds * 20;
    const order = { path: `/stream/${lines}`, lines, limit: 5, deadlineMs: streamSeconds * 2_000 };
    const [through, directly] = await bench.start(order);
    await addStrangers(bench.testbed, 20, ((streamSeconds - 2) * 1_000) / 20);
    const runs = await Promise.all([through.ended, directly.ended]);
    process.stdout.write(formatBoth(`streams of ${streamSeconds} s`, runs));
    expect(runs.map(({ failures }) => failures)).toEqual([[], []]);
    expect(runs.map(total)).toEqual([15, 15].map((requests) => ({ requests, failed: 0 })));
  });
});
