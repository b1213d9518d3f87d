import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../src/testbed/until.ts';

/** A script that runs, with a temporary folder of its own: what it leaves behind can be told from others'. */
export interface StartedScript {
  readonly child: ChildProcess;
  readonly temporary: string;
  /** Exit code, or null after a signal, once all output has been read. */
  readonly ended: Promise<number | null>;
  output(): string;
}

/** Starts `scripts/<name>.mjs`. */
export async function startScript(name: string, args: readonly string[] = []): Promise<StartedScript> {
  const temporary = await mkdtemp(join(tmpdir(), 'demo-'));
  const env = { ...process.env, TMPDIR: temporary };
  const child = spawn(process.execPath, [`scripts/${name}.mjs`, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, temporary, ended, output: () => text };
}

/** Returns when no file and no process of the script is left. */
export async function untilGone({ temporary }: StartedScript): Promise<void> {
  const probe = async (): Promise<true | undefined> => {
    const files = await readdir(temporary);
    return files.length === 0 && (await processesNaming(temporary)) === 0 ? true : undefined;
  };
  await until(probe, { timeoutMs: 60_000, otherwise: async () => `${temporary} is not empty, or a process is left` });
  await rm(temporary, { recursive: true });
}

/** How many processes have the text in their command lines. */
export async function processesNaming(text: string): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(text)).length;
}
