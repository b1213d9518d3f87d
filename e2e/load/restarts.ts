import { delay, within } from '../../src/lib/abort.ts';
import type { Sidecar } from '../../src/testbed/sidecar.ts';
import type { Testbed } from '../../src/testbed/testbed.ts';
import type { RunningLoad } from './load.ts';
import { byAddress, loadTopology, serverName } from './load-mesh.ts';

/** How long after a server was told to stop its clients hear of it. */
export const learnedAfterMs = 1_000;

/** A drain of 5 s, and patience with a busy machine. */
const endsWithinMs = 30_000;

export interface Restarts {
  /** Servers of the mesh; the first one serves at the start. */
  readonly servers: number;
  readonly times: number;
  /** Load of the client that is told addresses; the other one hears through its own sidecar. */
  readonly direct: RunningLoad;
}

/**
 * Rolling restarts: the next server is up, the one that serves gets SIGTERM and drains while all clients still call it;
 * a second later they are told of the next one. Those that have ended are started again for a later turn.
 */
export async function restartInTurn(testbed: Testbed, { servers, times, direct }: Restarts): Promise<void> {
  const ready = new Map<number, Promise<void>>();
  for (let i = 0; i < times; i += 1) {
    const [old, next] = [i % servers, (i + 1) % servers];
    await ready.get(next);
    const sidecar = sidecarOf(testbed, old);
    await sidecar.program.signal('TERM');
    await delay(learnedAfterMs);
    await Promise.all([
      direct.use([byAddress(next)]),
      testbed.apply({ 'topology.yaml': loadTopology(servers, next) }, ['foo/client']),
    ]);
    const again = startAgain(testbed, sidecar, old);
    // It is waited for when its turn comes.
    again.catch(() => undefined);
    ready.set(old, again);
  }
  await Promise.all(ready.values());
}

async function startAgain(testbed: Testbed, before: Sidecar, index: number): Promise<void> {
  const code = await within(endsWithinMs, before.program.exited);
  if (code !== 0) {
    const what = code === undefined ? `goes on for ${endsWithinMs} ms after SIGTERM` : `ended with ${code}`;
    throw new Error(`the agent of ${serverName(index)} ${what}:\n${(await before.output()).slice(-3_000)}`);
  }
  const sidecar = await testbed.startAgain(`foo/${serverName(index)}`);
  await sidecar.ready();
}

export function sidecarOf(testbed: Testbed, index: number): Sidecar {
  return testbed.sidecar(`foo/${serverName(index)}`);
}
