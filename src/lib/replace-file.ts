import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * Puts a text in the place of a file: all of it is written beside the place first, so that a full disk or a kill leaves
 * the old file whole. Keeps the file's mode, and its owner as far as that is allowed; of a link, what it leads to is
 * replaced, and a pipe or device is written to. Other names of the file (hard links) keep the old text. With `mode`, for secrets, nothing of what stands in the place counts: the
 * file is a new one of this user, and a link is replaced itself. Throws the system's error, which names the path given.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const old = mode === undefined ? await stat(path).catch(unlessAbsent) : undefined;
  if (old !== undefined && !old.isFile()) {
    await writeFile(path, text);
    return;
  }
  const target = old === undefined ? path : await realpath(path);
  const beside = `${target}.${randomBytes(6).toString('hex')}.new`;
  try {
    const file = await open(beside, 'wx', old === undefined ? (mode ?? 0o666) : 0o600);
    try {
      await file.writeFile(text);
      if (old !== undefined) await takeAfter(file, old);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    if (error instanceof Error && 'path' in error) {
      error.path = path;
      error.message = error.message.replaceAll(beside, path);
    }
    throw error;
  }
}

/** Only root may give a file away: for others it stays theirs, as in any editor that writes a new file. */
async function takeAfter(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  if (uid !== process.geteuid?.()) await file.chown(uid, gid).catch(unlessForbidden);
  await file.chmod(mode & 0o7777);
}

function unlessForbidden(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM') throw error;
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
