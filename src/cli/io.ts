import { type Colours, coloursFor } from '../lib/colours.ts';
import { WorldFailure } from '../lib/failure.ts';
import type { OnStep } from '../lib/on-step.ts';
import { createProgress, showsProgress } from './progress.ts';

/** What a command touches of its process; tests give their own. */
export interface CliIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Data. Resolves when it was taken, so that a pipe is not cut short by the exit. */
  readonly writeOut: (text: string) => Promise<void>;
  /** Diagnostics and summaries. */
  readonly writeError: (text: string) => Promise<void>;
  /** Of text on standard output that people read; absent: it has none. */
  readonly colours?: Colours | undefined;
  /** Shows how far work is that takes long; absent where nobody looks. What is written takes it away. */
  readonly onStep?: OnStep | undefined;
  /** From now on the young part of V8's heap stays as small as it is; absent where the process is not a command's own. */
  readonly keepHeapSmall?: (() => void) | undefined;
  /**
   * Does what must not be cut off in the middle: SIGINT and SIGTERM abort `stop` instead of ending the process, and end
   * it once the work has seen that and cleaned up. With `endsBySignal` the work's result says whether they do; if not, the
   * process ends as after any other work.
   */
  readonly untilStopped: <T>(
    work: (stop: AbortSignal) => Promise<T>,
    endsBySignal?: (result: T) => boolean,
  ) => Promise<T>;
}

/** The process that we are. */
export function processIo(): CliIo {
  const { stderr, env: environment } = process;
  const progress = showsProgress(stderr, environment)
    ? createProgress({
        // A terminal that does not know has none.
        columns: stderr.columns || 80,
        now: () => performance.now(),
        // A terminal that is gone is told of by what is written next.
        write: (text) => void stderr.write(text, () => undefined),
      })
    : undefined;
  return {
    // Opened when it is read: an open pipe would keep the process alive.
    get stdin() {
      return process.stdin;
    },
    environment,
    writeOut: (text) => {
      progress?.clear();
      return printOut(text);
    },
    writeError: (text) => {
      progress?.clear();
      return printError(text);
    },
    colours: coloursFor(process.stdout, environment),
    onStep: progress?.step,
    // Loaded when it is needed: programs use this module that never ask for it.
    keepHeapSmall: () => process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1'),
    untilStopped,
  };
}

/** Writes to standard output of the process, and resolves when it was taken; throws a WorldFailure. */
export function printOut(text: string | Uint8Array): Promise<void> {
  return write(process.stdout, 'standard output', text);
}

/** Writes to standard error of the process, and resolves when it was taken; throws a WorldFailure. */
export function printError(text: string): Promise<void> {
  return write(process.stderr, 'standard error', text);
}

async function untilStopped<T>(
  work: (stop: AbortSignal) => Promise<T>,
  endsBySignal: (result: T) => boolean = () => true,
): Promise<T> {
  let isToEnd = true;
  const stopped = new AbortController();
  const stop = (name: NodeJS.Signals): void => stopped.abort(name);
  const names = ['SIGINT', 'SIGTERM'] as const;
  for (const name of names) process.on(name, stop);
  try {
    const result = await work(stopped.signal);
    isToEnd = endsBySignal(result);
    return result;
  } finally {
    for (const name of names) process.off(name, stop);
    // Whoever started us sees the signal as the reason of our end.
    if (stopped.signal.aborted && isToEnd) process.kill(process.pid, stopped.signal.reason as NodeJS.Signals);
  }
}

/** A reader that has seen enough (`| head`) closes the pipe; that is no failure of ours. */
function write(stream: NodeJS.WriteStream, name: string, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException): void => {
      if (cause.code === 'EPIPE') resolve();
      else reject(new WorldFailure('output-unwritable', `cannot write to ${name}`, { cause }));
    };
    stream.once('error', onError);
    stream.write(text, (error) => {
      if (error) return;
      stream.off('error', onError);
      resolve();
    });
  });
}
