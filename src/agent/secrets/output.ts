import { realpath } from 'node:fs/promises';
import { prepareOutputFolder, writeOutputFolder } from '../../identity/output-folder.ts';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import { delay } from '../../lib/abort.ts';
import { AgentError } from '../agent-error.ts';
import type { Log } from '../log/log.ts';

/** Where each new identity is written too (OUTPUT_CERTS). */
export interface IdentityOutput {
  /** Only the newest identity is written; what cannot be written is tried again until it can. */
  write(snapshot: SecretSnapshot): void;
  close(): Promise<void>;
}

const retryMs = 5_000;

/** Throws an AgentError when nothing can be written into `folder`. */
export async function openIdentityOutput(folder: string, log: Log): Promise<IdentityOutput> {
  try {
    await prepareOutputFolder(folder);
  } catch (cause) {
    throw new AgentError('cert-unwritable', `OUTPUT_CERTS: nothing can be written into "${folder}"`, { cause });
  }
  const end = new AbortController();
  let next: SecretSnapshot | undefined;
  let writing: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    let wasTold = false;
    while (next !== undefined && !end.signal.aborted) {
      const snapshot = next;
      try {
        await writeOutputFolder(folder, snapshot);
        if (next === snapshot) next = undefined;
      } catch (error) {
        if (!wasTold) log.error(`the identity cannot be written: ${(error as Error).message}`, { folder });
        wasTold = true;
        await delay(retryMs, end.signal);
      }
    }
    writing = undefined;
  };
  return {
    write: (snapshot) => {
      next = snapshot;
      writing ??= writeAll();
    },
    close: async () => {
      end.abort();
      await writing;
    },
  };
}

/** Whether two names lead to one folder: files that are followed are not written by their follower. */
export async function isSameFolder(a: string, b: string): Promise<boolean> {
  const [one, two] = await Promise.all([a, b].map((path) => realpath(path).catch(() => path)));
  return one === two;
}
