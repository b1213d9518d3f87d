import { randomBytes } from 'node:crypto';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * Puts a text in the place of a file: all of it is written beside the place first, so that a full disk or a kill leaves
 * the old file whole. Keeps the file's mode and owner, or gives it the mode named; of a link, what it leads to is replaced.
 * A pipe or device is written to. Throws the system's error, which names the path given.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const old = await stat(path).catch(unlessAbsent);
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
      if (old !== undefined) {
        if (old.uid !== process.geteuid?.()) await file.chown(old.uid, old.gid);
        await file.chmod(mode ?? old.mode & 0o7777);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    if (error instanceof Error && 'path' in error) error.path = path;
    throw error;
  }
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
