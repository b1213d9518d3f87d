import { type AdminClient, drainListeners } from '../../envoy/admin.ts';
import type { ResourceFile } from '../../envoy/api/resource-file.ts';
import { delay } from '../../lib/abort.ts';
import type { AgentConfig } from '../agent-config.ts';
import type { Log } from '../log/log.ts';
import { listenerStatNames, readOpenConnections } from './connections.ts';

/** The share of the wait in which the graceful form still accepts connections: clients that have not heard need it. */
const gracefulShare = 0.6;
const callTimeoutMs = 2_000;
const retryEveryMs = 200;
const countEveryMs = 250;

export interface DrainParts {
  readonly admin: AdminClient;
  readonly config: Pick<AgentConfig, 'role' | 'terminationDrainMs' | 'earliestDrainEndMs'>;
  /** The listeners in force: their connections are what an early end waits for. */
  readonly listeners: () => ResourceFile;
  /** Fires when Envoy has ended: nothing is left to wait for. */
  readonly gone: AbortSignal;
  readonly log: Log;
  readonly onEnd?: (ms: number) => void;
}

/** A drain that has begun. Neither promise rejects. */
export interface RunningDrain {
  /** Whether Envoy took the first call; false when it could not be asked in time. */
  readonly isTaken: Promise<boolean>;
  /** Resolves when nothing is left to wait for: `terminationDrainMs` are over, no connection is open, or Envoy is gone. */
  readonly ended: Promise<void>;
}

/**
 * Lets connections finish: no new ones from the call on (plain), or new ones for the first part of the wait (graceful).
 * The whole takes `terminationDrainMs` from now at the most, whatever Envoy answers: where it cannot be asked, in-flight
 * requests still want to finish.
 */
export function startDrain(parts: DrainParts, form: 'plain' | 'graceful'): RunningDrain {
  const startedAt = performance.now();
  const { terminationDrainMs } = parts.config;
  let answer: (isTaken: boolean) => void = () => {};
  const isTaken = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  const run = async (): Promise<void> => {
    const deadline = startedAt + terminationDrainMs;
    if (form === 'graceful') {
      await phase(
        parts,
        { isGraceful: true, startedAt, endAt: startedAt + terminationDrainMs * gracefulShare },
        answer,
      );
    }
    if (!parts.gone.aborted) await phase(parts, { isGraceful: false, startedAt, endAt: deadline }, answer);
    answer(false);
    const ms = Math.round(performance.now() - startedAt);
    parts.log.info('drain ended', { ms, form });
    parts.onEnd?.(ms);
  };
  return { isTaken, ended: run() };
}

interface Phase {
  readonly isGraceful: boolean;
  readonly startedAt: number;
  readonly endAt: number;
}

/** Calls Envoy, and waits for the phase's end; both end with it. */
async function phase(parts: DrainParts, { isGraceful, startedAt, endAt }: Phase, answer: (is: boolean) => void) {
  const over = new AbortController();
  const signal = AbortSignal.any([parts.gone, over.signal]);
  const call = async (): Promise<void> => answer(await callDrain(parts, isGraceful, signal));
  const early = async (): Promise<void> => {
    const { earliestDrainEndMs } = parts.config;
    await call();
    if (earliestDrainEndMs === undefined) await delay(remaining(endAt), signal);
    else await untilIdle(parts, startedAt + earliestDrainEndMs, signal);
  };
  await Promise.race([delay(remaining(endAt), signal), early()]);
  over.abort();
}

/** Milliseconds for a timer, which may fire up to one early by this clock. */
function remaining(until: number): number {
  const ms = until - performance.now();
  return ms > 0 ? Math.ceil(ms) + 1 : 0;
}

/** Resolves once no connection is open, not before `earliest`, or when `signal` fires. */
async function untilIdle({ admin, listeners, log }: DrainParts, earliest: number, signal: AbortSignal): Promise<void> {
  await delay(remaining(earliest), signal);
  while (!signal.aborted) {
    const names = listenerStatNames(listeners());
    // One answer that does not come says nothing: a proxy under load is slow to answer, and has connections.
    const open = await readOpenConnections(admin, names, { timeoutMs: callTimeoutMs, signal }).catch(() => undefined);
    if (open === 0) {
      log.info('no connection is open');
      return;
    }
    await delay(countEveryMs, signal);
  }
}

/**
 * Asks until Envoy takes the call or `signal` fires; gives whether it did. Only inbound listeners of a sidecar drain: the
 * application still needs its outbound ones to finish its work.
 */
async function callDrain(
  { admin, config, log }: DrainParts,
  isGraceful: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const drain = { inboundOnly: config.role === 'sidecar', graceful: isGraceful };
  for (let tries = 1; !signal.aborted; tries++) {
    const failure = await drainListeners(admin, drain, { timeoutMs: callTimeoutMs, signal }).then(
      ({ status }) => (status === 200 ? undefined : `it answered ${status}`),
      (error: Error) => error.message,
    );
    if (failure === undefined) return true;
    if (tries === 1 && !signal.aborted) log.warn('Envoy cannot be asked to drain', { reason: failure });
    await delay(retryEveryMs, signal);
  }
  return false;
}
