import { reload } from '../e2e/load/reloads.ts';
import { restartInTurn } from '../e2e/load/restarts.ts';
import { rotate } from '../e2e/load/rotations.ts';
import { type BothCounts, formatBoth, openLoadBench } from '../e2e/load/under-load.ts';

const drainSeconds = 5;
const servers = 5;

/** What 300 requests a second lose to reloads, rotations and rolling restarts, on real Envoys in network namespaces. */
export async function dropping(): Promise<void> {
  const bench = await openLoadBench(1);
  try {
    print('50 reloads', await bench.during(() => reload(bench.testbed, 50)));
    print('20 rotations', await bench.during(() => rotate(bench.testbed, ['foo/client', 'foo/server-0'], 20)));
  } finally {
    await bench.testbed.close();
  }
  await restarting('graceful');
  await restarting('plain');
}

async function restarting(form: 'graceful' | 'plain'): Promise<void> {
  const env = { MESH_TERMINATION_DRAIN: form, TERMINATION_DRAIN_DURATION_SECONDS: String(drainSeconds) };
  const bench = await openLoadBench(servers, env);
  try {
    const work = bench.during((direct) => restartInTurn(bench.testbed, { servers, times: 20, direct }));
    print(`20 rolling restarts, ${form}`, await work);
  } finally {
    await bench.testbed.close();
  }
}

function print(what: string, counts: BothCounts): void {
  process.stdout.write(formatBoth(what, counts));
}
