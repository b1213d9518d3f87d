import { createTestbed, type Testbed } from '../../src/testbed/testbed.ts';
import { formatCounts, type LoadCounts } from './counts.ts';
import { type LoadOptions, type RunningLoad, startLoad } from './load.ts';
import { byAddress, byName, direct, loadMesh, meshed, ownTls, startApplications } from './load-mesh.ts';

/** What the two clients counted: the one with a sidecar, and the one that speaks mutual TLS itself. */
export type BothCounts = readonly [LoadCounts, LoadCounts];

/** A mesh that is ready for load. */
export interface LoadBench {
  readonly testbed: Testbed;
  /** Starts both clients: one calls the server that is ready, by its name; the other one `server`, the first when absent. */
  start(order?: Partial<LoadOptions>, server?: number): Promise<readonly [RunningLoad, RunningLoad]>;
  /** Runs `work` while both clients call; gives what they counted. */
  during(work: (direct: RunningLoad) => Promise<void>): Promise<BothCounts>;
}

/** Starts the mesh of {@link loadMesh} with these variables of its agents, and the applications. */
export async function openLoadBench(servers: number, env: Readonly<Record<string, string>> = {}): Promise<LoadBench> {
  const mesh = loadMesh(servers);
  const testbed = await createTestbed({ ...mesh, env: { ...mesh.env, ...env } });
  const start: LoadBench['start'] = async (order = {}, server = 0) => {
    const tls = await ownTls(testbed.ca);
    return Promise.all([
      startLoad(testbed.sandbox, { ...order, network: meshed, targets: [byName] }),
      startLoad(testbed.sandbox, { ...order, network: direct, targets: [byAddress(server)], tls }),
    ]);
  };
  try {
    await startApplications(testbed.sandbox, servers);
  } catch (error) {
    await testbed.close();
    throw error;
  }
  return {
    testbed,
    start,
    during: async (work) => {
      const [through, directly] = await start();
      await work(directly);
      return Promise.all([through.stop(), directly.stop()]);
    },
  };
}

/** Lines for people, of both clients. */
export function formatBoth(what: string, [through, directly]: BothCounts): string {
  return formatCounts(`${what}, through a sidecar`, through) + formatCounts(`${what}, directly`, directly);
}
