import { GitError } from './git-error.ts';

/** What a name of a tree stands for. A `commit` is a submodule: its files are in another repository. */
export type EntryKind = 'file' | 'tree' | 'link' | 'commit';

export interface TreeEntry {
  readonly name: string;
  readonly kind: EntryKind;
  readonly id: string;
}

const kinds: Readonly<Record<string, EntryKind>> = { '10': 'file', '4': 'tree', '12': 'link', '16': 'commit' };

/** Reads a tree as git stores it: `MODE NAME\0ID`, the id in bytes. Throws a `GitError` for what is no tree. */
export function parseTree(bytes: Buffer, id: string): readonly TreeEntry[] {
  const wrong = (what: string): GitError => new GitError('git-failed', `the tree ${id} is damaged: ${what}`);
  const idBytes = id.length / 2;
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const next = end + 1 + idBytes;
    if (space < 0 || end < 0 || next > bytes.length) throw wrong('it is cut off');
    // The four digits behind are rights, of a file alone.
    const kind = kinds[bytes.toString('latin1', at, space).replace(/\d{4}$/, '')];
    const name = nameOf(bytes.subarray(space + 1, end));
    if (kind === undefined || name === '' || name.includes('/'))
      throw wrong(`it has no entry that git makes, "${name}"`);
    if (entries.has(name)) throw wrong(`it names "${name}" twice`);
    entries.set(name, { name, kind, id: bytes.toString('hex', end + 1, next) });
    at = next;
  }
  return [...entries.values()];
}

/** Names are bytes; what is no UTF-8 in one is written by its numbers, so that two names stay two. */
function nameOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\uFFFD') || Buffer.from(text).equals(bytes)) return text;
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}
