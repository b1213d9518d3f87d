import type { AskedEnvoy } from '../envoy/ask-envoy.ts';
import { AgentError } from './agent-error.ts';
import type { Log } from './log/log.ts';

/** Resolves when the program is an Envoy that may run, else rejects with an AgentError. */
export async function checkEnvoy({ binary, version }: AskedEnvoy, log: Log): Promise<void> {
  const known = await version().catch((cause) => {
    throw new AgentError('envoy-not-found', `"${binary}" is no Envoy`, { cause });
  });
  // It knows Envoy's API, which is nothing that has to be read before Envoy starts.
  const { gateVersion } = await import('../envoy/version.ts');
  const gate = gateVersion(known);
  if (!gate.ok) throw new AgentError('envoy-too-old', gate.message);
  if (gate.warning !== undefined) log.warn(gate.warning);
}
