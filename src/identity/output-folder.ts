import { access, chmod, constants, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';
import type { SecretSnapshot } from './snapshot.ts';

/** In the order of writing: who watches `cert-chain.pem` finds its root and its key when it changes. */
const files: readonly { readonly name: string; readonly mode: number; readonly text: keyof SecretSnapshot }[] = [
  { name: 'root-cert.pem', mode: 0o644, text: 'rootCertificates' },
  { name: 'key.pem', mode: 0o600, text: 'privateKey' },
  { name: 'cert-chain.pem', mode: 0o644, text: 'certificateChain' },
];

/** Makes the folder that OUTPUT_CERTS names, and throws when nothing can be written there. */
export async function prepareOutputFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  await access(folder, constants.W_OK | constants.X_OK);
  // Permissions do not say everything: a file system may be read-only. A full one is no reason not to start.
  await stage(join(folder, '.writable'), '', 0o600);
  await rm(temporaryOf(join(folder, '.writable')));
}

/**
 * Writes what differs: first all of it beside its place, then each file by a rename. A reader sees the old one or the new
 * one, never a part; and what cannot be written, on a full disk, say, leaves the old pair as it was.
 */
export async function writeOutputFolder(folder: string, snapshot: SecretSnapshot): Promise<void> {
  const staged: string[] = [];
  try {
    for (const { name, mode, text } of files) {
      const path = join(folder, name);
      const content = String(snapshot[text]);
      if (await holds(path, content, mode)) continue;
      await stage(path, content, mode);
      staged.push(path);
    }
    for (const path of staged) await rename(temporaryOf(path), path);
  } catch (error) {
    for (const path of staged) await rm(temporaryOf(path), { force: true });
    throw error;
  }
}

async function holds(path: string, content: string, mode: number): Promise<boolean> {
  try {
    return (await readFile(path, 'latin1')) === content && ((await stat(path)).mode & 0o777) === mode;
  } catch {
    // Whatever is in the way, the writing will say.
    return false;
  }
}

function temporaryOf(path: string): string {
  return `${path}.tmp`;
}

/** Writes a whole file beside its place. */
async function stage(path: string, content: string, mode: number): Promise<void> {
  const temporary = temporaryOf(path);
  await rm(temporary, { force: true });
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(content, 'latin1');
      await file.sync();
    } finally {
      await file.close();
    }
    // The umask may have taken bits away.
    await chmod(temporary, mode);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
