import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bits of a mode for those who are neither the owner nor of its group. */
const othersRead = 0o004;
const othersWrite = 0o002;

/** Whether every user can read the CA's key in the folder, or replace it. */
export async function isKeyExposed(folder: string, keyFile: string): Promise<boolean> {
  const [modeOfFolder, modeOfKey] = await Promise.all([folder, join(folder, keyFile)].map(modeOf));
  return Boolean((modeOfFolder ?? 0) & othersWrite) || Boolean((modeOfKey ?? 0) & (othersRead | othersWrite));
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mode ?? 0;
}
