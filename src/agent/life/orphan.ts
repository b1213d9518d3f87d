import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnvoyProcess } from '../../envoy/process.ts';
import { delay } from '../../lib/abort.ts';
import type { Log } from '../log/log.ts';
import { commandLineOf, identityOf, type ProcessIdentity, workingDirectoryOf } from './process-table.ts';

/** What an agent leaves in its configuration folder for the next one to find, should it be killed. */
interface EnvoyRecord extends ProcessIdentity {
  readonly commandLine: readonly string[];
  readonly workingDirectory: string | undefined;
}

const fileName = 'envoy.pid';
const terminateMs = 2_000;
const lookEveryMs = 10;

/**
 * Notes the Envoy that runs on `folder`. Linux can tell a child that its parent died (`PR_SET_PDEATHSIG`), but Node
 * cannot ask for it: an Envoy whose agent is killed goes on serving until the next agent ends it.
 */
export async function recordEnvoy(folder: string, envoy: EnvoyProcess): Promise<void> {
  const identity = await identityOf(envoy.pid);
  if (identity === undefined) return;
  const [commandLine, workingDirectory] = [await commandLineOf(envoy.pid), await workingDirectoryOf(envoy.pid)];
  const record: EnvoyRecord = { ...identity, commandLine, workingDirectory };
  // Written in place: Envoy watches this folder for renames.
  await writeFile(join(folder, fileName), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** The Envoy that was noted has ended. */
export function forgetEnvoy(folder: string): Promise<void> {
  return rm(join(folder, fileName), { force: true });
}

/**
 * Ends the Envoy that an agent left running on `folder`: SIGTERM, two seconds, SIGKILL. The caller holds the folder's
 * lock, so that no agent lives there. A process that is not provably the noted one (its id, start time, boot, PID
 * namespace, command line and working directory) is left alone.
 */
export async function endOrphan(folder: string, log: Log): Promise<void> {
  const record = await readRecord(folder);
  if (record !== undefined && (await isSame(record))) {
    log.warn('an Envoy of an agent that was killed still runs and is ended', { pid: record.pid });
    await end(record, log);
  }
  await forgetEnvoy(folder);
}

async function readRecord(folder: string): Promise<EnvoyRecord | undefined> {
  try {
    const record = JSON.parse(await readFile(join(folder, fileName), 'utf8')) as EnvoyRecord | null;
    return Number.isSafeInteger(record?.pid) && Number(record?.pid) > 1 ? (record ?? undefined) : undefined;
  } catch {
    // Not there, or half-written by an agent that was killed: nothing is known, so nothing is ended.
    return undefined;
  }
}

async function isSame(record: EnvoyRecord): Promise<boolean> {
  if (!(await isAlive(record))) return false;
  const found = [await commandLineOf(record.pid), await workingDirectoryOf(record.pid)];
  return JSON.stringify(found) === JSON.stringify([record.commandLine, record.workingDirectory]);
}

async function isAlive({ pid, startTicks, bootId, namespace }: ProcessIdentity): Promise<boolean> {
  const found = await identityOf(pid);
  return found?.startTicks === startTicks && found.bootId === bootId && found.namespace === namespace;
}

async function end(record: EnvoyRecord, log: Log): Promise<void> {
  for (const name of ['SIGTERM', 'SIGKILL'] as const) {
    if (!send(record.pid, name, log)) return;
    const deadline = performance.now() + terminateMs;
    while (performance.now() < deadline) {
      if (!(await isAlive(record))) return;
      await delay(lookEveryMs);
    }
  }
  log.error('the Envoy of an agent that was killed cannot be ended', { pid: record.pid });
}

function send(pid: number, name: NodeJS.Signals, log: Log): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It ended between the look and the signal.
    if (code !== 'ESRCH')
      log.error('the Envoy of an agent that was killed cannot be ended', { pid, reason: String(code) });
    return false;
  }
}
