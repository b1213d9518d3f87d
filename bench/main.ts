import { deciding } from './access.ts';
import { agentClient } from './agent-client.ts';
import { agentDraining } from './agent-draining.ts';
import { agentReloading } from './agent-reloading.ts';
import { agentResting } from './agent-resting.ts';
import { agentStarting } from './agent-starting.ts';
import { checking } from './checking.ts';
import { compilingAll } from './compiling-all.ts';
import { compilingOne, compilingOneCold } from './compiling-one.ts';
import { distributing } from './distributing.ts';
import { dropping } from './dropping.ts';
import { changingFleet } from './fleet.ts';
import { identityIssuing } from './identity-issuing.ts';
import { identityMemory } from './identity-memory.ts';
import { identityPushing } from './identity-pushing.ts';
import { injecting } from './injecting.ts';
import { linting } from './linting.ts';
import { line, peakMb } from './measure.ts';
import { hasOwnNetwork, runInOwnNetwork } from './network.ts';
import { predicting } from './predicting.ts';
import { reading } from './reading.ts';
import { redirecting } from './redirecting.ts';
import { replaying } from './replaying.ts';
import { compilingGateway, compilingScoped } from './scoped.ts';
import { servingCluster } from './serving-cluster.ts';
import { starting } from './starting.ts';
import { testingPolicies } from './testing-policies.ts';

const benchmarks: Readonly<Record<string, () => Promise<void> | void>> = {
  1: reading,
  2: compilingOneCold,
  3: compilingOne,
  4: compilingAll,
  6: checking,
  7: starting,
  8: redirecting,
  9: deciding,
  17: dropping,
  18: linting,
  19: changingFleet,
  20: compilingScoped,
  21: compilingGateway,
  25: injecting,
  26: testingPolicies,
  27: replaying,
  28: predicting,
};

/** These run agents, whose ports are the specification's. */
const networked: Readonly<Record<string, () => Promise<void>>> = {
  10: agentStarting,
  11: agentResting,
  12: agentDraining,
  13: agentReloading,
  14: identityIssuing,
  15: identityPushing,
  16: identityMemory,
  22: distributing,
  23: servingCluster,
  24: agentClient,
};

const wanted = process.argv.slice(2);
for (const [number, run] of Object.entries({ ...benchmarks, ...networked })) {
  if (wanted.length > 0 && !wanted.includes(number)) continue;
  if (number in networked && !hasOwnNetwork) {
    runInOwnNetwork([number]);
    continue;
  }
  console.log(`\n(${number})`);
  await run();
  line('peak memory of this process', `${peakMb().toFixed(0)} MB`);
}
