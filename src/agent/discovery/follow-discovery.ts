import { type AdminClient, readWarming } from '../../envoy/admin.ts';
import { ResourceFile } from '../../envoy/api/resource-file.ts';
import { aborted, delay } from '../../lib/abort.ts';
import { checkInterception, type InterceptionFacts } from '../life/interception.ts';
import type { Log } from '../log/log.ts';
import type { DiscoveryClient } from './discovery-client.ts';

export interface FollowDiscoveryParts {
  readonly client: DiscoveryClient;
  readonly admin: AdminClient;
  readonly log: Log;
  /** What the network namespace says of TPROXY; absent: nobody wants to know. */
  readonly readInterception?: (() => Promise<InterceptionFacts>) | undefined;
  /** Fires when Envoy has ended, and when the agent is to stop. */
  readonly quit: AbortSignal;
  /** Called once, when Envoy has taken a configuration and nothing warms. */
  readonly onFirstInForce: () => void;
}

const pollMs = { first: 10, last: 250 };
/** After so long it is said what is waited for. */
const slowMs = 10_000;

/**
 * Waits until the first configuration is active; later changes reach Envoy without further calls. Ends at `quit`. Throws when
 * the inbound listener is for another mode of interception than the rules of the network namespace, and when other processes
 * use the ports of the first listeners.
 */
export function followDiscovery(parts: FollowDiscoveryParts): Promise<void> {
  return Promise.race([parts.client.failed, untilQuit(parts)]);
}

async function untilQuit({
  client,
  admin,
  log,
  readInterception,
  quit,
  onFirstInForce,
}: FollowDiscoveryParts): Promise<void> {
  const beganAtMs = performance.now();
  let isTold = false;
  let isJudged = readInterception === undefined;
  while (!quit.aborted) {
    const inbound = isJudged ? undefined : client.listener('virtualInbound');
    if (inbound !== undefined && readInterception !== undefined) {
      isJudged = true;
      await checkInterception({ listeners: new ResourceFile([inbound]) }, readInterception, log);
    }
    const missing = await missingNow(client, admin);
    if (missing === undefined) {
      log.info('configuration in force', { from: 'the control plane', ageMs: Math.round(client.ageMs ?? 0) });
      onFirstInForce();
      await aborted(quit);
      return;
    }
    const waitedMs = performance.now() - beganAtMs;
    if (!isTold && waitedMs > slowMs) {
      isTold = true;
      log.error(`the first configuration is not in force yet: ${missing}`);
    }
    await delay(Math.min(Math.max(pollMs.first, waitedMs / 50), pollMs.last), quit);
  }
}

async function missingNow(client: DiscoveryClient, admin: AdminClient): Promise<string | undefined> {
  if (client.problem !== undefined) return client.problem;
  if (!client.isInForce) return 'Envoy has not taken all of it';
  try {
    const { warmingListeners, warmingClusters } = await readWarming(admin);
    const warming = warmingListeners + warmingClusters;
    return warming === 0 ? undefined : `${warming} listeners or clusters are warming`;
  } catch (error) {
    // Not yet there, or no longer: Envoy's exit ends the wait.
    return (error as Error).message;
  }
}
