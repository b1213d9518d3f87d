import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applicationUid } from './curl.ts';
import type { FloorPlan } from './floor-plan.ts';
import { type OwnPrograms, startOwnPrograms } from './own-programs.ts';
import { repository, type Sandbox } from './sandbox.ts';
import { node } from './sidecar.ts';
import { until } from './until.ts';

/** Starts the testbed's backend in every pod that has ports, or `own` programs instead. Returns when all listen. */
export async function startBackends(sandbox: Sandbox, { pods }: FloorPlan, own?: OwnPrograms): Promise<void> {
  if (own !== undefined) return startOwnPrograms(sandbox, pods, own);
  const started = pods
    .filter(({ ports }) => ports.length > 0)
    .map(async ({ network, ports }) => {
      const output = join(sandbox.folder, `${network}-backend.log`);
      const argv = [node, `${repository}/src/testbed/backend.ts`, JSON.stringify(ports)];
      const program = await sandbox.start(argv, output, { network, uid: applicationUid });
      const probe = async (): Promise<true | undefined> => {
        const text = await readFile(output, 'utf8');
        if (program.exitCode !== undefined) throw new Error(`the backend of ${network} ended: ${text}`);
        return text.includes('listening') ? true : undefined;
      };
      await until(probe, { timeoutMs: 90_000, otherwise: async () => `the backend of ${network} does not listen` });
    });
  await Promise.all(started);
}
