import { fstatSync, writeSync } from 'node:fs';
import { LogFile, type RotateOptions } from './log-file.ts';

/** Where lines go: a stream of the process, or a file. */
export type LogTarget = 'stdout' | 'stderr' | { readonly path: string; readonly rotate?: RotateOptions };

/** All targets of a log. */
export interface LogTargets {
  /** Takes one whole line to each target. What fails is reported once on standard error, and again after it worked. */
  write(line: string): void;
  /** Opens files anew by their paths, after somebody moved them away. One that cannot be opened stays as it is. */
  reopen(): void;
  /** Told of each line that a target did not take. */
  onLost(listener: () => void): void;
}

/** Opens each of the targets once. Throws an AgentError for a file that cannot be written. */
export function openTargets(
  targets: readonly LogTarget[],
  complain: (text: string) => void = complainOnStderr,
): LogTargets {
  const unique = new Map(targets.map((target) => [typeof target === 'string' ? target : target.path, target]));
  const listeners: (() => void)[] = [];
  const tellLost = (): void => {
    for (const tell of listeners) tell();
  };
  const sinks = [...unique].map(([name, target]) => new Sink(name, openTarget(target), complain, tellLost));
  return {
    write: (line) => {
      for (const sink of sinks) sink.write(line);
    },
    reopen: () => {
      for (const sink of sinks) sink.reopen();
    },
    onLost: (listener) => void listeners.push(listener),
  };
}

function complainOnStderr(text: string): void {
  try {
    process.stderr.write(text);
  } catch {
    // A file on a full disk: there is nobody left to tell.
  }
}

/** Tells whether a line was taken, at once or later. */
type Done = (error?: Error | null) => void;

/** What takes lines; throws, or tells later, when it does not. */
interface LineWriter {
  write(line: string, done: Done): void;
  reopen?(): void;
}

function openTarget(target: LogTarget): LineWriter {
  if (typeof target === 'object') {
    const file = new LogFile(target.path, target.rotate);
    return inOrder(
      (line) => file.write(line),
      () => file.reopen(),
    );
  }
  const [stream, descriptor] = target === 'stdout' ? [process.stdout, 1] : [process.stderr, 2];
  // A stream of Node that leads to a file on a full disk never works again.
  if (isFile(descriptor)) return inOrder((line) => writeWhole(descriptor, line));
  return { write: (line, done) => void stream.write(line, done) };
}

function inOrder(write: (line: string) => void, reopen: () => void = () => {}): LineWriter {
  return {
    write: (line, done) => {
      write(line);
      done();
    },
    reopen,
  };
}

function isFile(file: number): boolean {
  try {
    return fstatSync(file).isFile();
  } catch {
    // Closed before the program began: writing fails too, which is told and changes nothing.
    return true;
  }
}

function writeWhole(file: number, line: string): void {
  const bytes = Buffer.from(line);
  if (writeSync(file, bytes) < bytes.length) throw new Error('no space left for a whole line');
}

class Sink {
  readonly #name: string;
  readonly #writer: LineWriter;
  readonly #complain: (text: string) => void;
  readonly #tellLost: () => void;
  #lost = 0;

  constructor(name: string, writer: LineWriter, complain: (text: string) => void, tellLost: () => void) {
    this.#name = name;
    this.#writer = writer;
    this.#complain = complain;
    this.#tellLost = tellLost;
  }

  write(line: string): void {
    try {
      this.#writer.write(line, (error) => (error ? this.#lose(error) : this.#take()));
    } catch (error) {
      this.#lose(error);
    }
  }

  reopen(): void {
    try {
      this.#writer.reopen?.();
    } catch (error) {
      this.#say(`cannot open the log "${this.#name}" again, the file of before stays in use`, error);
    }
  }

  #take(): void {
    if (this.#lost > 0) this.#complain(`the log goes to "${this.#name}" again; ${this.#lost} lines were lost\n`);
    this.#lost = 0;
  }

  #lose(error: unknown): void {
    if (this.#lost === 0) this.#say(`cannot write the log to "${this.#name}", lines are lost`, error);
    this.#lost += 1;
    this.#tellLost();
  }

  #say(text: string, error: unknown): void {
    this.#complain(`${text}: ${(error as Error).message}\n`);
  }
}
