import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatCounts, type LoadCounts, total } from './load/counts.ts';
import { type RunningLoad, startLoad } from './load/load.ts';
import { byAddress, byName, direct, loadMesh, meshed, ownTls, refusals, startApplications } from './load/load-mesh.ts';
import type { LoadTls } from './load/order.ts';
import { addStrangers, reload } from './load/reloads.ts';
import { rotate } from './load/rotations.ts';
import { createTestbed, type Testbed } from './testbed.ts';
import { describeMesh } from './testing/describe-mesh.ts';

/** How long the streams are: a minute in `make soak`. */
const streamSeconds = process.env.SOAK === '1' ? 60 : 12;
const server = 'foo/server-0';
const pods = ['foo/client', server];

describeMesh('a mesh under load', () => {
  let testbed: Testbed;
  let tls: LoadTls;
  beforeAll(async () => {
    testbed = await createTestbed(loadMesh(1));
    await startApplications(testbed.sandbox, 1);
    tls = await ownTls(testbed.ca);
  });
  afterAll(() => testbed?.close());

  const callers = (): Promise<readonly RunningLoad[]> =>
    Promise.all([
      startLoad(testbed.sandbox, { network: meshed, targets: [byName] }),
      startLoad(testbed.sandbox, { network: direct, targets: [byAddress(0)], tls }),
    ]);

  const expectNoneFailed = async (what: string, runs: readonly LoadCounts[]): Promise<void> => {
    process.stdout.write(
      ['through a sidecar', 'directly'].map((by, i) => formatCounts(`${what}, ${by}`, runs[i]!)).join(''),
    );
    const failures = runs.flatMap((run) => run.failures);
    expect(failures, failures.length > 0 ? await refusals(testbed, pods) : '').toEqual([]);
    expect(runs.reduce((sum, run) => sum + total(run).requests / run.seconds, 0)).toBeGreaterThan(200);
  };

  test('drops nothing while policies, routes and services change 50 times', async () => {
    const http2Requests = (): Promise<number> =>
      testbed.sidecar(server).counter('inbound_8000.downstream_rq_http2_total');
    const before = await http2Requests();
    const loads = await callers();
    await reload(testbed, 50);
    const runs = await Promise.all(loads.map((load) => load.stop()));
    await expectNoneFailed('50 reloads', runs);
    // What the client moved to another connection the server has seen once.
    expect((await http2Requests()) - before).toBe(runs[1]?.manners.http2.requests);
  });

  test('drops nothing while certificates of both sides are replaced 20 times', async () => {
    const loads = await callers();
    await rotate(testbed, pods, 20);
    await expectNoneFailed('20 rotations', await Promise.all(loads.map((load) => load.stop())));
  });

  test(`drops no stream of ${streamSeconds} s through 20 reloads that do not concern it`, async () => {
    const lines = streamSeconds * 20;
    const order = { path: `/stream/${lines}`, lines, limit: 5, deadlineMs: streamSeconds * 2_000 };
    const streams = await Promise.all([
      startLoad(testbed.sandbox, { ...order, network: meshed, targets: [byName] }),
      startLoad(testbed.sandbox, { ...order, network: direct, targets: [byAddress(0)], tls }),
    ]);
    await addStrangers(testbed, 20, ((streamSeconds - 2) * 1_000) / 20);
    const runs = await Promise.all(streams.map(({ ended }) => ended));
    process.stdout.write(runs.map((run) => formatCounts('streams', run)).join(''));
    expect(runs.flatMap((run) => run.failures)).toEqual([]);
    expect(runs.map(total)).toEqual([15, 15].map((requests) => ({ requests, failed: 0 })));
  });
});
