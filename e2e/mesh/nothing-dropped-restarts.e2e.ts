import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../src/testbed/until.ts';
import { tries } from '../../src/testing/effort.ts';
import { total } from '../load/counts.ts';
import { refusals } from '../load/load-mesh.ts';
import { restartInTurn, sidecarOf } from '../load/restarts.ts';
import { formatBoth, type LoadBench, openLoadBench } from '../load/under-load.ts';
import { describeMesh } from '../testing/describe-mesh.ts';

const servers = 5;
const pods = ['foo/client', ...Array.from({ length: servers }, (_, i) => `foo/server-${i}`)];

describeMesh.each([
  // Six: the first server is also restarted after it was started again.
  ['graceful', tries(6), 'drops nothing'],
  ['plain', tries(2, 10), 'counts what it refuses'],
] as const)('a server that drains in the %s form', (form, times, claim) => {
  let bench: LoadBench;
  beforeAll(async () => {
    bench = await openLoadBench(servers, {
      MESH_TERMINATION_DRAIN: form,
      TERMINATION_DRAIN_DURATION_SECONDS: '5',
    });
  });
  afterAll(() => bench?.testbed.close());

  test(`${claim} in ${times} rolling restarts of which clients hear a second late`, async () => {
    const runs = await bench.during((direct) => restartInTurn(bench.testbed, { servers, times, direct }));
    process.stdout.write(formatBoth(`${times} rolling restarts, ${form}`, runs));
    expect(runs.map((run) => total(run).requests > 0)).toEqual([true, true]);
    if (form === 'plain') return;
    const failures = runs.flatMap((run) => run.failures);
    expect(failures, failures.length > 0 ? await refusals(bench.testbed, pods) : '').toEqual([]);
    // Asked for are 180 a second, and 300 in `make soak`; what a busy machine leaves out is no drop.
    expect(runs.reduce((sum, run) => sum + total(run).requests / run.seconds, 0)).toBeGreaterThan(40);
  });

  test('finishes requests of 3 s within a drain of 5 s', async () => {
    const ready = times % servers;
    const loads = await bench.start({ path: '/delay/3000', limit: 20 }, ready);
    const server = sidecarOf(bench.testbed, ready);
    // Twenty requests in each of three manners of two clients.
    await until(async () => ((await server.counter('inbound_8000.downstream_rq_active')) === 120 ? true : undefined), {
      timeoutMs: 60_000,
      otherwise: () => server.admin('GET', '/stats?filter=inbound_8000.downstream'),
    });
    await server.program.signal('TERM');
    const [through, directly] = await Promise.all([loads[0].ended, loads[1].ended]);
    process.stdout.write(formatBoth(`requests of 3 s, ${form} drain of 5 s`, [through, directly]));
    expect([through, directly].map(total)).toEqual([60, 60].map((requests) => ({ requests, failed: 0 })));
    expect(server.program.exitCode).toBeUndefined();
    expect(await server.program.exited).toBe(0);
  });
});
