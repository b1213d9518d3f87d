import { basename, dirname, join } from 'node:path';

/** Files and folders on which something is mounted, as this process sees them. */
export class MountPoints {
  readonly #paths: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  /** By mount point, the part of its file system that is seen there: a later mount hides an earlier one. */
  readonly #parts: ReadonlyMap<string, string>;

  /** `mountinfo` is the text of `/proc/self/mountinfo` (proc_pid_mountinfo(5)). */
  constructor(mountinfo = '') {
    const fields = mountinfo.split('\n').map((line) => line.split(' '));
    this.#parts = new Map(
      fields.flatMap(([, , device, root, path]) =>
        path === undefined ? [] : [[unescaped(path), `${device} ${root}`]],
      ),
    );
    this.#paths = new Set(this.#parts.keys());
    this.#names = new Set([...this.#paths].map((path) => basename(path)));
  }

  /** `path` has no links. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /**
   * Of which file system which part is mounted where `path` is, which has no links: what is mounted from the file system
   * that is there already has its number, too. Empty where nothing is known of mounts.
   */
  partAt(path: string): string {
    const part = this.#parts.get(path);
    if (part !== undefined || dirname(path) === path) return part ?? '';
    return this.partAt(dirname(path));
  }

  /** Which of the names in a folder are such; `real` gives the folder's path without links, and is seldom asked. */
  async among(names: readonly string[], real: () => Promise<string>): Promise<ReadonlySet<string>> {
    const candidates = names.filter((name) => this.#names.has(name));
    if (candidates.length === 0) return none;
    const folder = await real();
    return new Set(candidates.filter((name) => this.#paths.has(join(folder, name))));
  }
}

const none: ReadonlySet<string> = new Set();

/** The kernel writes space, tab, line feed and backslash as three octal digits. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
