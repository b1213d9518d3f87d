import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ExitStatus, spawnEnvoy } from './process.ts';

/** What `envoy --mode validate` says of a bootstrap. */
export interface Validation {
  readonly ok: boolean;
  /** One line; empty when Envoy accepts. It never holds the configuration, which Envoy prints with its refusals. */
  readonly message: string;
  readonly exit: ExitStatus;
}

export interface ValidateOptions {
  /** Ends Envoy, and removes what was written for it, at once: before the listener of the signal returns. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Where a configuration that is no file yet is put meanwhile, in a folder whose name ends in `.tmp`; the system's by
   * default.
   */
  readonly folder?: string;
  /** Milliseconds until Envoy is killed and the configuration counts as refused; 60,000 by default. */
  readonly timeoutMs?: number;
  /** Further arguments of Envoy. */
  readonly args?: readonly string[];
}

/** Lets the real Envoy judge a bootstrap: a file's path, or the JSON value itself. Dynamic files are not read by it. */
export async function validateConfig(
  binary: string,
  config: string | object,
  options: ValidateOptions = {},
): Promise<Validation> {
  if (typeof config === 'string') return validateFile(binary, config, options);
  options.signal?.throwIfAborted();
  // Nothing here waits for the disk: the process may end while it waits, and the folder would stay.
  const folder = path.join(options.folder ?? tmpdir(), `envoy-validate-${randomUUID()}.tmp`);
  const remove = (): void => {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // A file system that became read-only: by its name it is removed as a leftover when it can be.
    }
  };
  options.signal?.addEventListener('abort', remove, { once: true });
  try {
    return await validateFile(binary, writeForEnvoy(folder, config), options);
  } finally {
    options.signal?.removeEventListener('abort', remove);
    remove();
  }
}

/** A file that only we can read: a bootstrap may hold keys. */
function writeForEnvoy(folder: string, config: object): string {
  const file = path.join(folder, 'bootstrap.json');
  try {
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  } catch (cause) {
    const parent = path.dirname(folder);
    // The same problem has the same words each time: the name of the folder is another one.
    if (cause instanceof Error) cause.message = cause.message.replaceAll(file, parent).replaceAll(folder, parent);
    throw new Error(`cannot write the configuration for Envoy to check below "${parent}"`, { cause });
  }
  return file;
}

async function validateFile(binary: string, file: string, options: ValidateOptions): Promise<Validation> {
  const args = ['--mode', 'validate', '-c', file, '-l', 'error', ...(options.args ?? [])];
  const envoy = await spawnEnvoy({ binary, args, output: 'pipe' });
  const deadline = AbortSignal.timeout(options.timeoutMs ?? 60_000);
  const stop = AbortSignal.any([deadline, ...(options.signal ? [options.signal] : [])]);
  const kill = (): void => void envoy.signal('SIGKILL');
  stop.addEventListener('abort', kill, { once: true });
  if (stop.aborted) kill();
  envoy.stdout?.resume();
  let errors = '';
  envoy.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exit = await envoy.exited;
  stop.removeEventListener('abort', kill);
  options.signal?.throwIfAborted();
  if (exit.code === 0) return { ok: true, message: '', exit };
  const message = deadline.aborted ? 'Envoy did not answer in time' : refusal(errors, exit);
  return { ok: false, message, exit };
}

const longest = 1000;

/**
 * The reason in Envoy's error output, as one line. Envoy prints the refused message in text form (after a
 * `goo.gle/debug…` mark) or the whole file as JSON, either of which may hold keys: both are cut out.
 */
export function refusal(errors: string, exit: ExitStatus): string {
  if (exit.signal !== null) return `Envoy aborted (${exit.signal}) while it read the configuration`;
  const start =
    /error initializing configuration '[^']*':/.exec(errors) ??
    /\[(?:critical|error)\]\S* (?:\[[^\]]*\] )?/.exec(errors);
  const text = start === null ? errors : errors.slice(start.index + start[0].length);
  const line = text
    .replaceAll(/goo\.gle\/debug\w*\s*\n[\s\S]*?(?=\n: |\n\[\d{4}-|$(?![\s\S]))/g, '')
    .replace(/:\s*\{[\s\S]*$/, '')
    .replaceAll(/-----BEGIN [^-]+-----[\s\S]*?(?:-----END [^-]+-----|$(?![\s\S]))/g, '[PEM]')
    .replaceAll(/\n\[\d{4}-[\s\S]*$/g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[: ]+|[: ]+$/g, '');
  if (line === '') return `Envoy refused the configuration with exit code ${exit.code}`;
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
