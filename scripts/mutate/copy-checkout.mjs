import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const left = new Set(['.git', '.tools', 'node_modules', '.cache', 'coverage']);

/** A new folder with the files of the checkout `root`, and with its packages and tools as links. */
export function copyCheckout(root) {
  const folder = mkdtempSync(path.join(tmpdir(), 'mutate-'));
  for (const name of readdirSync(root)) {
    if (!left.has(name)) cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  for (const name of ['.tools', 'node_modules']) symlinkSync(path.join(root, name), path.join(folder, name));
  mkdirSync(path.join(folder, '.cache'));
  return folder;
}
