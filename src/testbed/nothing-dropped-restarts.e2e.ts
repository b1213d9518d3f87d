import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatCounts, type LoadCounts, total } from './load/counts.ts';
import { type RunningLoad, startLoad } from './load/load.ts';
import { byAddress, byName, direct, loadMesh, meshed, ownTls, refusals, startApplications } from './load/load-mesh.ts';
import type { LoadOrder, LoadTls } from './load/order.ts';
import { restartInTurn, sidecarOf } from './load/restarts.ts';
import { createTestbed, type Testbed } from './testbed.ts';
import { describeMesh } from './testing/describe-mesh.ts';
import { until } from './until.ts';

const servers = 5;
const pods = ['foo/client', ...Array.from({ length: servers }, (_, i) => `foo/server-${i}`)];

describeMesh.each([
  ['graceful', 20],
  ['plain', 5],
] as const)('a server that drains in the %s form', (form, times) => {
  let testbed: Testbed;
  let tls: LoadTls;
  beforeAll(async () => {
    const mesh = loadMesh(servers);
    const env = { ...mesh.env, MESH_TERMINATION_DRAIN: form, TERMINATION_DRAIN_DURATION_SECONDS: '5' };
    testbed = await createTestbed({ ...mesh, env });
    await startApplications(testbed.sandbox, servers);
    tls = await ownTls(testbed.ca);
  });
  afterAll(() => testbed?.close());

  const callers = (order: Partial<LoadOrder> = {}): Promise<readonly [RunningLoad, RunningLoad]> =>
    Promise.all([
      startLoad(testbed.sandbox, { ...order, network: meshed, targets: [byName] }),
      startLoad(testbed.sandbox, { ...order, network: direct, targets: [byAddress(0)], tls }),
    ]);

  const print = (what: string, runs: readonly LoadCounts[]): void => {
    const by = ['through a sidecar', 'directly'];
    process.stdout.write(runs.map((run, i) => formatCounts(`${what}, ${by[i]}`, run)).join(''));
  };

  test(`restarts ${times} times in turn; what fails is counted`, async () => {
    const loads = await callers();
    await restartInTurn(testbed, { servers, times, direct: loads[1] });
    const runs = await Promise.all(loads.map((load) => load.stop()));
    print(`${times} rolling restarts, ${form}`, runs);
    if (form === 'plain') return;
    const failures = runs.flatMap((run) => run.failures);
    expect(failures, failures.length > 0 ? await refusals(testbed, pods) : '').toEqual([]);
    expect(runs.reduce((sum, run) => sum + total(run).requests / run.seconds, 0)).toBeGreaterThan(200);
  });

  test('finishes requests of 3 s within a drain of 5 s', async () => {
    // Twenty requests a manner and a client.
    const loads = await callers({ path: '/delay/3000', limit: 20 });
    const server = sidecarOf(testbed, 0);
    await until(async () => ((await server.counter('inbound_8000.downstream_rq_active')) === 120 ? true : undefined), {
      timeoutMs: 20_000,
      otherwise: () => server.admin('GET', '/stats?filter=inbound_8000.downstream'),
    });
    await server.program.signal('TERM');
    const runs = await Promise.all(loads.map((load) => load.ended));
    print(`requests of 3 s through a ${form} drain of 5 s`, runs);
    expect(runs.map(total)).toEqual([60, 60].map((requests) => ({ requests, failed: 0 })));
    expect(server.program.exitCode).toBeUndefined();
    expect(await server.program.exited).toBe(0);
  });
});
