import { type AdminClient, drainListeners } from '../../envoy/admin.ts';
import { delay } from '../../lib/abort.ts';
import type { AgentConfig } from '../agent-config.ts';
import type { Log } from '../log/log.ts';

/** The share of the wait in which the graceful form still accepts connections: clients that have not heard need it. */
const gracefulShare = 0.6;

/**
 * Lets connections finish: no new ones (plain), or new ones for the first part of the wait (graceful). Waits
 * `terminationDrainMs`, less when `end` fires (Envoy is gone, or somebody is in a hurry). A drain call that fails is
 * logged: the wait goes on, because in-flight requests still want to finish.
 */
export async function drain(
  admin: AdminClient,
  config: Pick<AgentConfig, 'role' | 'terminationDrain' | 'terminationDrainMs'>,
  end: AbortSignal,
  log: Log,
): Promise<void> {
  const { terminationDrainMs } = config;
  if (terminationDrainMs <= 0) return;
  const deadline = performance.now() + terminationDrainMs;
  if (config.terminationDrain === 'graceful') {
    await callDrain(admin, config.role, true, log);
    await delay(terminationDrainMs * gracefulShare, end);
    if (end.aborted) return;
  }
  await callDrain(admin, config.role, false, log);
  await delay(Math.max(0, deadline - performance.now()), end);
}

/** Only inbound listeners of a sidecar drain: the application still needs its outbound ones to finish its work. */
async function callDrain(admin: AdminClient, role: AgentConfig['role'], graceful: boolean, log: Log): Promise<void> {
  try {
    const drain = { inboundOnly: role === 'sidecar', graceful };
    const { status } = await drainListeners(admin, drain, { timeoutMs: 2_000 });
    if (status !== 200) log.warn('Envoy did not accept the drain call', { status });
  } catch (error) {
    log.warn('Envoy cannot be asked to drain', { reason: (error as Error).message });
  }
}
