import { delay } from '../lib/abort.ts';
import type { Family, RedirectConfig } from './config.ts';
import {
  cannotListen,
  type Expectation,
  type FailedHop,
  failedHop,
  nothingToProbe,
  wrongOwner,
} from './validate-hops.ts';
import { asOwner, currentOwner, type PacketOwner, probeOwner } from './validate-owner.ts';
import { openProbeListener, type ProbeFamily, type ProbeListener, probe, probeFamilies } from './validate-probe.ts';

/** What the rules in force should do: the part of the redirection's configuration that a probe can see. */
export type ValidateConfig = Pick<
  RedirectConfig,
  'families' | 'mode' | 'proxyPort' | 'inboundPort' | 'inboundPorts' | 'proxyUids' | 'proxyGids'
>;

export interface ValidateOptions {
  /** Port of the delivery address that the probe is made to; nothing should listen there. */
  readonly probePort: number;
  /** Time for all attempts together; one is made in any case. */
  readonly timeoutMs: number;
  /** Ends the attempts early, as the time-out does. */
  readonly signal?: AbortSignal;
}

/** What the probe showed; the command exits with 126 when `failed` is there. */
export interface RedirectVerdict {
  /** Families whose connections went as the rules say, in the order asked. */
  readonly passed: readonly Family[];
  readonly failed?: FailedHop;
}

/** A probe on loopback is answered within microseconds; the rest is for a machine that is very busy. */
const patienceMs = 1_000;
const retryMs = 100;

/**
 * Sends real packets through the rules of this network namespace, as the proxy, until they arrive where they should or
 * the time is over: rules that another program applies may come a moment later. Changes nothing. It shows that the rules
 * are in force for this owner, not that they capture what the user meant: a packet from outside cannot be made here.
 */
export async function validateRedirect(config: ValidateConfig, options: ValidateOptions): Promise<RedirectVerdict> {
  const owner = await usableOwner(config);
  if (owner === undefined) {
    return { passed: [], failed: wrongOwner(config.proxyUids, config.proxyGids, currentOwner()) };
  }
  const probePort = visiblePort(config, options.probePort);
  if (probePort === undefined) return { passed: [], failed: nothingToProbe() };
  const deadline = performance.now() + options.timeoutMs;
  const passed: Family[] = [];
  for (const name of config.families) {
    const failed = await validateFamily(probeFamilies[name], config, owner, { ...options, probePort, deadline });
    if (failed !== undefined) return { passed, failed };
    passed.push(name);
  }
  return { passed };
}

/** The verdict for people: one line a family, and what to do about a failure. */
export function formatVerdict({ passed, failed }: RedirectVerdict): string {
  const lines = passed.map((name) => `validation passed: the ${name} rules are in force`);
  if (failed !== undefined) {
    const { hop, family, message, hint } = failed;
    lines.push(`validation failed at hop "${hop}"${family === undefined ? '' : ` of ${family}`}: ${message}`);
    lines.push(`  hint: ${hint}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** Root without the right to change ids (a container that dropped it) can still be one of the proxy's own ids. */
async function usableOwner({ proxyUids: uids, proxyGids: gids }: ValidateConfig): Promise<PacketOwner | undefined> {
  const current = currentOwner();
  const owner = probeOwner({ uids, gids }, current);
  if (owner === undefined) return undefined;
  try {
    await asOwner(owner, async () => undefined);
    return owner;
  } catch {
    // EPERM, or EINVAL where a user namespace has no such id: what is left is the process as it is.
    return uids.includes(current.uid) || gids.includes(current.gid) ? current : undefined;
  }
}

/** A port whose way the rules change: all of them do under REDIRECT, only the captured ones under TPROXY. */
function visiblePort({ mode, inboundPorts }: ValidateConfig, probePort: number): number | undefined {
  return mode === 'REDIRECT' || inboundPorts === 'all' ? probePort : inboundPorts[0]?.first;
}

interface Attempts extends ValidateOptions {
  /** Of `performance.now()`. */
  readonly deadline: number;
}

async function validateFamily(
  family: ProbeFamily,
  config: ValidateConfig,
  owner: PacketOwner,
  attempts: Attempts,
): Promise<FailedHop | undefined> {
  const { mode, inboundPort, proxyPort } = config;
  // The outbound port tells a wrong way from no way; what TPROXY diverts never arrives at a port of ours.
  const listener = await openProbeListener(family, [inboundPort, proxyPort]);
  try {
    const code = listener.refused.get(inboundPort);
    if (code !== undefined && mode === 'REDIRECT') return cannotListen(family, inboundPort, code);
    const expectation = { mode, inboundPort, probePort: attempts.probePort, owner };
    for (;;) {
      const failed = await attempt(family, expectation, listener, attempts.deadline);
      const isLast = performance.now() + retryMs > attempts.deadline || attempts.signal?.aborted === true;
      if (failed === undefined || isLast) return failed;
      await delay(retryMs, attempts.signal);
    }
  } finally {
    await listener.close();
  }
}

async function attempt(
  family: ProbeFamily,
  expectation: Expectation,
  listener: ProbeListener,
  deadline: number,
): Promise<FailedHop | undefined> {
  const { probePort: port, owner } = expectation;
  const patience = Math.max(retryMs, Math.min(patienceMs, deadline - performance.now()));
  const [capture, delivery] = await asOwner(owner, () =>
    Promise.all([
      probe(family, { port }, listener, patience),
      probe(family, { port, source: family.delivery }, listener, patience),
    ]),
  );
  return failedHop(family, expectation, { capture, delivery });
}
