import { open, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SourceFile } from '../source/document.ts';

/** What reading for a completion may cost: somebody waits for it after a key. */
const limits = { bytes: 1 << 20, entries: 2_000 } as const;

/**
 * The texts of inputs, as far as they can be read at once: files that are named, folders recursively, without paths the
 * files of the current folder. Pipes and devices are left alone, and so is what cannot be read. Past the limits, and past
 * `end` on the clock of `performance`, the rest is left out; a text is cut at the end of a document. `~/` is the home of
 * the user: the shell has not replaced it yet.
 */
export async function readSome(paths: readonly string[], end: number): Promise<readonly SourceFile[]> {
  const reader = new Reader(end);
  if (paths.length === 0) await reader.readFolder('.', 0);
  else for (const path of paths) await reader.read(path.replace(/^~(?=\/)/, homedir()), 9);
  return reader.files;
}

class Reader {
  readonly files: SourceFile[] = [];
  private readonly end: number;
  private bytes: number = limits.bytes;
  private entries: number = limits.entries;

  constructor(end: number) {
    this.end = end;
  }

  /** `depth`: so many folders may be below one another. */
  async read(path: string, depth: number): Promise<void> {
    if (this.bytes <= 0 || this.entries-- <= 0 || performance.now() > this.end) return;
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isDirectory()) await this.readFolder(path, depth);
    else if (stats?.isFile()) await this.readFile(path, stats.size);
  }

  async readFolder(path: string, depth: number): Promise<void> {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const { name } = entry;
      if (name.startsWith('.') || name === 'node_modules') continue;
      const isWanted = entry.isDirectory() ? depth > 0 : /\.(?:ya?ml|json)$/i.test(name);
      if (isWanted) await this.read(join(path, name), depth - 1);
    }
  }

  private async readFile(path: string, size: number): Promise<void> {
    const file = await open(path).catch(() => undefined);
    try {
      const wanted = Math.min(size, this.bytes);
      const read = await file?.read(Buffer.alloc(wanted), 0, wanted, 0);
      if (read === undefined) return;
      this.bytes -= read.bytesRead;
      const text = read.buffer.toString('utf8', 0, read.bytesRead);
      this.files.push({ path, text: wanted < size ? text.slice(0, text.lastIndexOf('\n---\n') + 1) : text });
    } catch {
      // What cannot be read gives no names.
    } finally {
      await file?.close();
    }
  }
}
