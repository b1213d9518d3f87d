import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';
import { AgentError } from '../agent-error.ts';
import { writeText } from './write-text.ts';

/** A file that lies ready beside the one that it is to replace. */
export interface StagedFile {
  /** Gives it its name: readers see the old file or the new one, never half of one. */
  put(): Promise<void>;
}

/** Files of one folder that are written under other names first: what fails then (a full disk) has changed nothing. */
export class Stage {
  readonly #folder: string;
  readonly #temporaries = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(name: string, text: string): Promise<StagedFile> {
    const path = join(this.#folder, name);
    const temporary = `${path}.tmp`;
    try {
      await makeFolder(dirname(path));
      this.#temporaries.add(temporary);
      await writeText(temporary, text);
    } catch (cause) {
      throw new AgentError('config-write-failed', `cannot write "${path}"`, { cause });
    }
    return { put: () => this.#put(temporary, path) };
  }

  /** Removes what was not put: it would take the space that the next try needs. */
  async clear(): Promise<void> {
    for (const temporary of this.#temporaries) {
      // What cannot be removed is overwritten by the next try.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
    this.#temporaries.clear();
  }

  async #put(temporary: string, path: string): Promise<void> {
    try {
      await rename(temporary, path);
      this.#temporaries.delete(temporary);
    } catch (cause) {
      throw new AgentError('config-write-failed', `cannot write "${path}"`, { cause });
    }
  }
}
