import { setTimeout as delay } from 'node:timers/promises';
import { runOnce, startClient, withClientFolder } from './client-folder.ts';
import { line } from './measure.ts';
import { cpuPercent, residentMib } from './process-cost.ts';

const restSeconds = 20;
/** V8 tidies up once when little happens, at the latest 100 s after its last collection: that is work of the start. */
const settleSeconds = 110;
/** Of `deploy/Containerfile`: what is freed goes back to the system. */
const ofImage = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '16384', MALLOC_TRIM_THRESHOLD_: '65536' };

/** How an agent is started. */
interface Rest {
  readonly environment: Readonly<Record<string, string>>;
  /** Whether one has run in its folder before. */
  readonly hasCache: boolean;
}

const rests: Readonly<Record<string, Rest>> = {
  'no cache': { environment: {}, hasCache: false },
  'no cache, variables of the image': { environment: ofImage, hasCache: false },
  'cache, variables of the image': { environment: ofImage, hasCache: true },
};

/** The ways in which agents are started here. */
export const restKinds = Object.keys(rests);

/** Prints what an agent that is a client of `meshd` with so many services needs at rest; it is alone in its network. */
async function clientAtRest(services: number, kind: string): Promise<void> {
  const { environment = {}, hasCache = false } = rests[kind] ?? {};
  await withClientFolder(services, async (folder) => {
    if (hasCache) await runOnce(folder);
    const agent = startClient(folder, { environment });
    try {
      await agent.seen('configuration in force');
      await delay(settleSeconds * 1_000);
      const cpu = await cpuPercent(agent.pid, restSeconds);
      const { now, peak } = residentMib(agent.pid);
      line(
        `client of meshd, ${services} services, ${kind}`,
        `at rest ${now.toFixed(0)} MiB`,
        `peak ${peak.toFixed(0)} MiB`,
        `CPU ${cpu.toFixed(2)} %`,
      );
    } finally {
      await agent.end();
    }
  });
}

const [, , services, kind] = process.argv;
if (import.meta.main) await clientAtRest(Number(services), kind ?? '');
