import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { readNamedFile } from '../../lib/read-file.ts';
import { ControlError } from '../control-error.ts';
import { type CheckedAuthority, createSigner } from './signer.ts';

/** Names of the files in the folder of a plugged-in authority. */
const fileNames = {
  certificate: 'ca-cert.pem',
  privateKey: 'ca-key.pem',
  roots: 'root-cert.pem',
  chain: 'cert-chain.pem',
} as const;

/** The file with the key, in the folder of a plugged-in authority. */
export const pluggedInKey: string = fileNames.privateKey;

/** A file longer than this holds no certificates. */
const longestFileBytes = 1_048_576;

/** Whether any of the four files is in the folder: then all must be. */
export async function hasPluggedIn(folder: string): Promise<boolean> {
  const found = await Promise.all(Object.values(fileNames).map((name) => exists(join(folder, name))));
  return found.includes(true);
}

async function exists(path: string): Promise<boolean> {
  try {
    // A link to nothing counts: a volume that is not there yet must not make us sign a root of our own.
    await lstat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw new ControlError('authority-unusable', `cannot look for "${path}"`, { cause: error });
  }
}

/** Reads and checks the four files. The problem names folder and file, and never quotes their content. */
export async function readPluggedIn(folder: string, nowMs: number): Promise<CheckedAuthority> {
  const texts = { certificate: '', privateKey: '', roots: '', chain: '' };
  const missing: string[] = [];
  for (const [key, name] of Object.entries(fileNames)) {
    const path = join(folder, name);
    try {
      const bytes = await readNamedFile(path);
      if (bytes.length > longestFileBytes) return { problem: `"${path}" is larger than ${longestFileBytes} bytes` };
      texts[key as keyof typeof texts] = bytes.toString('latin1');
    } catch (error) {
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') return { problem: `cannot read "${path}" (${code})` };
      missing.push(name);
    }
  }
  if (missing.length > 0) {
    return { problem: `the certificate authority in "${folder}" is incomplete: ${missing.join(', ')} missing` };
  }
  const check = createSigner(texts, nowMs);
  return check.problem === undefined ? check : { problem: `in "${folder}": ${check.problem}` };
}
