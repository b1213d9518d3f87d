import { setTimeout as delay } from 'node:timers/promises';
import { denyPath } from '../src/cli/agent/testing/sample-mesh.ts';
import { AgentFolder } from './agent-folder.ts';
import { line } from './measure.ts';
import { cpuPercent, residentMib } from './process-cost.ts';
import type { Program } from './program.ts';

const restSeconds = 20;
/** V8 tidies up once when little happens, at the latest 100 s after its last collection: that is work of the start. */
const settleSeconds = 110;
const reloads = 30;
/** For all reloads of one size; ten times what 1,000 services take. */
const mostSeconds = 180;

/** Resident memory of the agent at rest and under reload, and the share of a processor that it takes at rest. */
export async function agentResting(): Promise<void> {
  for (const services of [0, 100, 1_000]) {
    const folder = await AgentFolder.create(services);
    await folder.write('mesh/changed.yaml', denyPath('/start'));
    const agent = folder.start();
    try {
      await agent.seen('state=running');
      await delay(settleSeconds * 1_000);
      const cpu = await cpuPercent(agent.pid, restSeconds);
      const rest = residentMib(agent.pid);
      line(
        `${services} services, at rest for ${restSeconds} s`,
        mib(rest.now),
        `peak ${mib(rest.peak)}`,
        `CPU ${cpu.toFixed(2)} %`,
      );
      await reloadOften(folder, agent);
      const after = residentMib(agent.pid);
      await delay(10_000);
      const settled = residentMib(agent.pid);
      line(
        `under ${reloads} reloads`,
        `peak ${mib(after.peak)}`,
        `then ${mib(after.now)}, 10 s later ${mib(settled.now)}`,
      );
    } finally {
      await agent.end();
      await folder.remove();
    }
  }
}

/** Each as soon as the one before is in force. */
async function reloadOften(folder: AgentFolder, agent: Program): Promise<void> {
  const startedAt = performance.now();
  for (let i = 0; i < reloads; i += 1) {
    const seconds = (performance.now() - startedAt) / 1_000;
    if (seconds > mostSeconds) throw new Error(`${i} of ${reloads} reloads took ${seconds.toFixed(0)} s`);
    await folder.replace('mesh/changed.yaml', denyPath(`/path${i}`));
    await agent.seen('configuration in force', i + 2);
  }
}

function mib(value: number): string {
  return `${value.toFixed(0)} MiB`;
}
