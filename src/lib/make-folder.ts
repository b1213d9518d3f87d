import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder where it is absent, with mode 0700 unless `mode` says otherwise, and the folders above it as the umask
 * says: others may keep things there. Throws the system's error. Node's own way (`recursive`) gives all of them the one
 * mode, and below `/proc`, where nothing can be made, it never ends.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path), modeOfParents);
    await mkdir(path, { mode }).catch(unlessThere);
  }
}

/** `makeFolder` for a program that must not go on before the folder is there, such as one that opens its log. */
export function makeFolderSync(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && statSync(path).isDirectory()) return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolderSync(dirname(path), modeOfParents);
    try {
      mkdirSync(path, { mode });
    } catch (again) {
      unlessThere(again);
    }
  }
}

/** The umask takes away what it should. */
const modeOfParents = 0o777;

/** Another process may have made it in between. */
function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
