import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The folder of an input: itself, or that of the file; standard input is in the folder of the process. */
export async function folderOf(input: string): Promise<string> {
  const path = resolve(input === '-' ? '.' : input);
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  return isFolder ? path : dirname(path);
}
