import { Dice } from '../../src/testing/dice.ts';
import { newSeed } from '../../src/testing/effort.ts';
import { createDemoReport } from '../demo/demo-report.ts';
import { type FaultRunResult, runFaults } from './fault-run.ts';
import type { SoakedMesh } from './soaked-mesh.ts';

/**
 * `make soak-faults MESH=machines MINUTES=30`: faults at random in the mesh of a demonstration, one at a time, while policies change and
 * certificates are good for 30 s. Exit 1 when a call failed that had to be answered, or had a verdict of no policy in force, or when
 * memory grew.
 */
const meshes: Readonly<Record<string, (onProgress: (step: string) => void) => Promise<SoakedMesh>>> = {
  machines: async (onProgress) => (await import('./soaked-machines.ts')).openSoakedMachines(onProgress),
  cluster: async (onProgress) => (await import('./soaked-cluster.ts')).openSoakedCluster(onProgress),
};
const minute = 60_000;
/** How much more memory the last third of a run that is long enough may need than its second sixth; of 30 minutes, the last 10 and minutes 5 to 10. */
const mostGrowth = 1.05;
const enoughMinutes = 30;

const [name = '', length = '', seedText = String(newSeed())] = process.argv.slice(2);
const open = meshes[name];
const [minutes, seed] = [Number(length), Number(seedText)];
if (open === undefined || !(minutes > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write(
    `give a mesh (${Object.keys(meshes).join(', ')}) and a number of minutes: make soak-faults MESH=machines MINUTES=30\n`,
  );
  process.exit(2);
}
const report = createDemoReport();
report.say(`Faults in the mesh "${name}" for ${minutes} minutes; SEED=${seed} repeats their order`);
const mesh = await open((step) => report.step(step));
try {
  const result = await runFaults(mesh, { dice: new Dice(seed), report, lengthMs: minutes * minute });
  process.exitCode = tell(result) ? 0 : 1;
} finally {
  await mesh.close();
}

/** Whether all was as it should be. */
function tell({ calls, excused, faults, changes, certificates, wrong, memory, beganMs }: FaultRunResult): boolean {
  report.step(
    `${faults} faults, ${changes} changes of policies, ${calls} calls, ${excused} failed while an Envoy was away`,
  );
  report.say(`      ${certificates} certificates were signed meanwhile`);
  let isWell = wrong.length === 0 && calls > 0 && certificates > 0;
  for (const line of wrong.slice(0, 50)) report.say(`      ${line}`);
  if (wrong.length > 50) report.say(`      and ${wrong.length - 50} more`);
  const endMs = beganMs + minutes * minute;
  // Of a shorter run, its second sixth and its last third.
  const early = [beganMs + (minutes * minute) / 6, beganMs + (minutes * minute) / 3] as const;
  if (memory.kinds.length === 0) {
    report.say('      memory: not known');
    isWell = false;
  }
  for (const kind of memory.kinds) {
    const [before, after] = [memory.mean(kind, ...early), memory.mean(kind, endMs - (minutes * minute) / 3, endMs)];
    if (before === undefined || after === undefined) {
      report.say(`      memory of ${kind}: not known of the whole run`);
      isWell = false;
      continue;
    }
    const growth = after / before;
    report.say(`      memory of ${kind}: ${before.toFixed(1)} MiB, then ${after.toFixed(1)} (${growth.toFixed(3)} x)`);
    if (minutes >= enoughMinutes && growth > mostGrowth) isWell = false;
  }
  report.step(isWell ? 'every call is as it should be' : `${wrong.length} things are not as they should be`);
  return isWell;
}
