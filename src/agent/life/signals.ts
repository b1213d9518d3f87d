import type { EventEmitter } from 'node:events';

/** What the user or the orchestrator asked for by signals. Each is an AbortSignal that fires once. */
export interface StopSignals {
  /** SIGTERM or SIGINT came: drain, then stop. The abort reason is the signal's name. */
  readonly stop: AbortSignal;
  /** A second one came: skip the wait. */
  readonly hurry: AbortSignal;
  /** A third one came: kill. */
  readonly kill: AbortSignal;
  /** Gives the signals back to their default disposition. */
  release(): void;
}

/**
 * Takes SIGTERM and SIGINT. Called before anything else: as PID 1 a process does not even see signals that it has no
 * handler for. SIGHUP ends nothing.
 */
export function listenForSignals(source: EventEmitter = process): StopSignals {
  const steps = [new AbortController(), new AbortController(), new AbortController()] as const;
  const onStop = (name: string): void => steps.find((step) => !step.signal.aborted)?.abort(name);
  const onHangUp = (): void => undefined;
  for (const name of ['SIGTERM', 'SIGINT']) source.on(name, onStop);
  source.on('SIGHUP', onHangUp);
  return {
    stop: steps[0].signal,
    hurry: steps[1].signal,
    kill: steps[2].signal,
    release: () => {
      for (const name of ['SIGTERM', 'SIGINT']) source.off(name, onStop);
      source.off('SIGHUP', onHangUp);
    },
  };
}

/** Resolves when the signal fires. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
