import { open } from 'node:fs/promises';

/** What is looked at of each file, in bytes, and of how many files of one run: a folder may hold much else. */
const headBytes = 4_096;
export const maxLookedAt = 200;

/**
 * The files among `paths` that begin as a policy does, with a field of an object and a group of the mesh. Prose that
 * shows a policy does not begin so. What cannot be read is none.
 */
export async function lookAlikes(paths: readonly string[]): Promise<readonly string[]> {
  const some = paths.slice(0, maxLookedAt);
  const heads = await Promise.all(some.map((path) => headOf(path).catch(() => '')));
  return some.filter((_, index) => isLikePolicy(heads[index] ?? ''));
}

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function isLikePolicy(head: string): boolean {
  const [first] = /^(?!\s*(?:#|---\s*$|$)).*/m.exec(head.replace(/^\uFEFF/, '')) ?? [''];
  if (!/^\s*(?:["{]|(?:apiVersion|kind|metadata|spec|items)\s*:)/.test(first)) return false;
  return /\bapiVersion["']?\s*:\s*["']?(?:security|networking)\.(?:mesh|istio)\.io\//.test(head);
}
