import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { readNamedFile } from '../../lib/read-file.ts';
import { ControlError } from '../control-error.ts';
import { meshNames, namesIn, namesOf, tlsNames } from './authority-names.ts';
import { type CheckedAuthority, createSigner } from './signer.ts';

/** A file longer than this holds no certificates. */
const longestFileBytes = 1_048_576;

/** Whether any file of a CA is in the folder: then all must be. */
export async function hasPluggedIn(folder: string): Promise<boolean> {
  return (await filesIn(folder)).size > 0;
}

/** The file with the key. */
export async function pluggedInKey(folder: string): Promise<string> {
  return namesIn(await filesIn(folder)).privateKey;
}

async function filesIn(folder: string): Promise<ReadonlySet<string>> {
  const names = [...namesOf(meshNames), ...namesOf(tlsNames)];
  const found = await Promise.all(names.map((name) => exists(join(folder, name))));
  return new Set(names.filter((_, index) => found[index]));
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

/** Reads and checks the files. The problem names folder and file, and never quotes their content. */
export async function readPluggedIn(folder: string, nowMs: number): Promise<CheckedAuthority> {
  const names = namesIn(await filesIn(folder));
  const texts = { certificate: '', privateKey: '', roots: '', chain: '' };
  const missing = new Set<string>();
  for (const [key, name] of Object.entries(names)) {
    const path = join(folder, name);
    try {
      const bytes = await readNamedFile(path);
      if (bytes.length > longestFileBytes) return { problem: `"${path}" is larger than ${longestFileBytes} bytes` };
      texts[key as keyof typeof texts] = bytes.toString('latin1');
    } catch (error) {
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') return { problem: `cannot read "${path}" (${code})` };
      missing.add(name);
    }
  }
  if (missing.size > 0) {
    return { problem: `the certificate authority in "${folder}" is incomplete: ${[...missing].join(', ')} missing` };
  }
  const check = createSigner(texts, nowMs, names);
  return check.problem === undefined ? check : { problem: `in "${folder}": ${check.problem}` };
}
