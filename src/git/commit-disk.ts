import type { SourceDisk, SourceEntry, SourceStats } from '../source/source-disk.ts';
import { GitError } from './git-error.ts';
import type { GitObject, ObjectReader } from './object-reader.ts';
import { type EntryKind, parseTree, type TreeEntry } from './tree.ts';

export interface CommitDiskOptions {
  readonly reader: Pick<ObjectReader, 'read'>;
  /** Id of the tree that paths begin at. */
  readonly tree: string;
  /** Larger files have a size and no bytes. */
  readonly mostFileBytes: number;
  /** Names and bytes of one commit. A few objects can stand for more files than any disk has. */
  readonly mostEntries?: number;
  readonly mostBytes?: number;
}

interface Node {
  readonly kind: EntryKind | 'outside';
  readonly id: string;
  /** Names from the top; of what is outside, the path that leads there. */
  readonly names: readonly string[];
}

const mostTreeBytes = 1 << 24;
const mostTargetBytes = 4_096;
const longestPath = 4_096;
/** As Linux counts. */
const mostLinks = 40;
/** Stands for the top of the tree, so that no path of this machine looks like one of the tree. */
const top = ':';

/** The files of one commit, as a disk: nothing that happens to branches, index or working tree changes it. */
export class CommitDisk implements SourceDisk {
  readonly #options: Required<CommitDiskOptions>;
  readonly #trees = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>();
  readonly #blobs = new Map<string, Promise<GitObject>>();
  #entries = 0;
  #bytes = 0;

  constructor(options: CommitDiskOptions) {
    this.#options = { mostEntries: 100_000, mostBytes: 1 << 28, ...options };
  }

  async real(path: string): Promise<string> {
    const { kind, names } = await this.#find(path);
    return kind === 'outside' ? names.join('/') : [top, ...names].join('/');
  }

  async stat(path: string): Promise<SourceStats> {
    const { kind, id } = await this.#find(path);
    // What is outside may be a folder: whoever goes into it is told that it is outside.
    const size = kind === 'file' ? (await this.#blob(id)).size : 0;
    return { size, isFile: () => kind === 'file', isDirectory: () => kind !== 'file' };
  }

  async list(folder: string): Promise<readonly SourceEntry[]> {
    const { kind, id } = await this.#find(folder);
    if (kind === 'commit') {
      throw new GitError(
        'git-failed',
        `"${folder}" is a submodule, whose files are in another repository: put its files into this one, or leave it out with a line in .meshpolignore`,
      );
    }
    if (kind !== 'tree') throw systemError('ENOTDIR', `"${folder}" is no folder`);
    const entries = [...(await this.#tree(id)).values()];
    this.#entries += entries.length;
    if (this.#entries > this.#options.mostEntries)
      throw new GitError('git-failed', `the tree has more than ${this.#options.mostEntries} names`);
    return entries.map(({ name, kind: of }) => ({
      name,
      isFile: () => of === 'file',
      isDirectory: () => of === 'tree' || of === 'commit',
      isSymbolicLink: () => of === 'link',
    }));
  }

  async read(path: string): Promise<Uint8Array> {
    const { kind, id } = await this.#find(path);
    const { bytes } = kind === 'file' ? await this.#blob(id) : { bytes: undefined };
    if (bytes === undefined) throw systemError('EINVAL', `"${path}" is no file that can be read`);
    this.#bytes += bytes.length;
    if (this.#bytes > this.#options.mostBytes)
      throw new GitError('git-failed', `its files have more than ${this.#options.mostBytes} bytes`);
    return bytes;
  }

  async explain(cause: unknown): Promise<unknown> {
    return cause;
  }

  /** The object that a path stands for now and whenever it has the same id. */
  async idOf(path: string): Promise<string> {
    return (await this.#find(path)).id;
  }

  /** Follows names and links from the top. */
  async #find(path: string): Promise<Node> {
    if (path.length > longestPath) throw systemError('ENAMETOOLONG', `"${path.slice(0, 64)}…" is too long a path`);
    const ahead = partsOf(path);
    const nodes: Node[] = [{ kind: 'tree', id: this.#options.tree, names: [] }];
    let links = 0;
    for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
      const at = nodes.at(-1) as Node;
      if (name === '..') {
        nodes.pop();
        if (nodes.length === 0) return { kind: 'outside', id: '', names: ['..', ...ahead] };
        continue;
      }
      const entry = at.kind === 'tree' ? (await this.#tree(at.id)).get(name) : undefined;
      if (entry === undefined) throw systemError('ENOENT', absent(path, links));
      if (entry.kind !== 'link') {
        nodes.push({ kind: entry.kind, id: entry.id, names: [...at.names, name] });
        continue;
      }
      if (++links > mostLinks) throw systemError('ELOOP', `"${path}" is a link that leads back to itself`);
      const target = await this.#target(entry.id, path);
      if (target.startsWith('/')) return { kind: 'outside', id: '', names: [target, ...ahead] };
      ahead.unshift(...partsOf(target));
    }
    return nodes.at(-1) as Node;
  }

  async #target(id: string, path: string): Promise<string> {
    const { bytes } = await this.#object(id, 'blob', mostTargetBytes);
    if (bytes === undefined) throw systemError('ENAMETOOLONG', `"${path}" is a link with too long a target`);
    return bytes.toString('utf8');
  }

  #tree(id: string): Promise<ReadonlyMap<string, TreeEntry>> {
    return remembered(this.#trees, id, async () => {
      const { bytes } = await this.#object(id, 'tree', mostTreeBytes);
      if (bytes === undefined) throw new GitError('git-failed', `the tree ${id} has more than ${mostTreeBytes} bytes`);
      return new Map(parseTree(bytes, id).map((entry) => [entry.name, entry]));
    });
  }

  #blob(id: string): Promise<GitObject> {
    return remembered(this.#blobs, id, () => this.#object(id, 'blob', this.#options.mostFileBytes));
  }

  async #object(id: string, type: string, mostBytes: number): Promise<GitObject> {
    const object = await this.#options.reader.read(id, mostBytes);
    if (object?.type === type) return object;
    const found =
      object === undefined
        ? 'is missing or damaged ("git fsck" tells); a clone without all objects (--filter) cannot be served'
        : `is no ${type}`;
    throw new GitError('git-failed', `the object ${id} ${found}`);
  }
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function absent(path: string, links: number): string {
  return links === 0 ? `there is no "${path}"` : `"${path}" is a link that leads nowhere: mend the link, or remove it`;
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function remembered<T>(known: Map<string, Promise<T>>, id: string, find: () => Promise<T>): Promise<T> {
  const found = known.get(id) ?? find();
  known.set(id, found);
  return found;
}
