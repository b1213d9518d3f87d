import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The texts of a folder's files, by their names. */
export async function textsOf(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder);
  const texts = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}
