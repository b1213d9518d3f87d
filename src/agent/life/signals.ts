import type { EventEmitter } from 'node:events';

/** What the user or the orchestrator asked for by signals. Each is an AbortSignal that fires once. */
export interface StopSignals {
  /** SIGTERM, SIGINT or SIGQUIT came: drain, then stop. The abort reason is the signal's name. */
  readonly stop: AbortSignal;
  /** A second one came: skip the wait. */
  readonly hurry: AbortSignal;
  /** A third one came: kill. */
  readonly kill: AbortSignal;
  /** Has each SIGHUP told to `listener`; without one SIGHUP does nothing. */
  onHangUp(listener: () => void): void;
  /** From now on an error that nobody catches does not end the process: the first one is the reason of the signal. */
  catchCrashes(): AbortSignal;
  /** Gives the signals back to their default disposition. */
  release(): void;
}

const stopNames = ['SIGTERM', 'SIGINT', 'SIGQUIT'];
/** Without a handler the first opens Node's debugger to everybody in the pod, the second ends the agent without Envoy. */
const ignoredNames = ['SIGUSR1', 'SIGUSR2'];

/**
 * Takes the signals that ask for the end, and those that end nothing. Called before anything else: as PID 1 a process
 * does not even see signals that it has no handler for.
 */
export function listenForSignals(source: EventEmitter = process): StopSignals {
  const steps = [new AbortController(), new AbortController(), new AbortController()] as const;
  const crash = new AbortController();
  const hangUps: (() => void)[] = [];
  const onStop = (name: string): void => steps.find((step) => !step.signal.aborted)?.abort(name);
  const onHangUp = (): void => {
    for (const listener of hangUps) listener();
  };
  const ignore = (): void => {};
  const onCrash = (error: unknown): void => crash.abort(error);
  for (const name of stopNames) source.on(name, onStop);
  for (const name of ignoredNames) source.on(name, ignore);
  source.on('SIGHUP', onHangUp);
  return {
    stop: steps[0].signal,
    hurry: steps[1].signal,
    kill: steps[2].signal,
    onHangUp: (listener) => void hangUps.push(listener),
    catchCrashes: () => {
      // A promise that nobody waits for ends here too: Node throws what it was rejected with.
      source.on('uncaughtException', onCrash);
      return crash.signal;
    },
    release: () => {
      for (const name of stopNames) source.off(name, onStop);
      for (const name of ignoredNames) source.off(name, ignore);
      source.off('SIGHUP', onHangUp);
      source.off('uncaughtException', onCrash);
    },
  };
}
