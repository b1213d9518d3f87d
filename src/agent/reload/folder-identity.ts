import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError } from '../agent-error.ts';

/**
 * The folders that a running Envoy watches. Inotify follows a folder and not its name: of another folder under the same
 * name Envoy never hears.
 */
export class FolderIdentity {
  readonly #folder: string;
  #seen: ReadonlyMap<string, FolderStats> = new Map();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes the folders as they are: an Envoy that starts now watches these. */
  async take(): Promise<void> {
    const seen = new Map<string, FolderStats>();
    for (const path of [this.#folder, join(this.#folder, 'routes')]) {
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined) seen.set(path, found);
    }
    this.#seen = seen;
  }

  /** Throws when one of the folders is gone, or is another one. A folder that nobody can look at is not judged. */
  async check(): Promise<void> {
    for (const [path, before] of this.#seen) {
      const now = await stat(path).catch(({ code }: NodeJS.ErrnoException) => (code === 'ENOENT' ? undefined : before));
      if (now !== undefined && isSameFolder(before, now)) continue;
      throw new AgentError(
        'config-write-failed',
        `the configuration folder "${path}" was removed or replaced, and no change reaches Envoy any more; ` +
          'start the agent again',
      );
    }
  }
}

type FolderStats = Pick<Stats, 'dev' | 'ino' | 'birthtimeMs' | 'ctimeMs'>;

/**
 * Whether a name still stands for the same folder. A new one may get the number of one that was removed, but not its time
 * of birth; where the system tells no birth, Node gives the time of the last change in its place.
 */
export function isSameFolder(before: FolderStats, now: FolderStats): boolean {
  const isBirthUnknown = [before, now].every(({ birthtimeMs, ctimeMs }) => birthtimeMs === ctimeMs);
  const isSameBirth = before.birthtimeMs === now.birthtimeMs || isBirthUnknown;
  return before.dev === now.dev && before.ino === now.ino && isSameBirth;
}
