import { resolve } from 'node:path';
import { startOnce } from './warm-up-start.mjs';

/** One start of `pilot-agent proxy` with policies. */
export function warmUp({ runPilotAgent }) {
  const policies = ['topology.yaml', 'policies/namespace-strict.yaml'].map((file) =>
    resolve('examples/first-mesh', file),
  );
  return startOnce(runPilotAgent, { flags: ['--policies', ...policies] });
}
