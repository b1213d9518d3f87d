import { decidingPattern, type IgnorePattern, parseIgnorePattern, parseIgnorePatterns } from './ignore-patterns.ts';

/** A file of this name says which files of its folder, and of those below, are no inputs. */
export const ignoreFile = '.meshpolignore';

/** Patterns, and the folder that their paths begin at. */
interface IgnoreList {
  readonly folder: string;
  readonly patterns: readonly IgnorePattern[];
}

/** What is left out below one folder: what the command line says, then the lists of the folders above, nearest first. */
export interface FolderExclusion {
  /** Whether a child is left out; then it is kept in mind. */
  leavesOut(path: string, isFolder: boolean): boolean;
  /** The same for the folder `path`, which holds a list of its own. */
  within(path: string, list: string): FolderExclusion;
}

/** What the user leaves out knowingly, by `--exclude` and by lists in folders; remembers what that was. */
export class Exclusion {
  readonly #globs: readonly IgnorePattern[];
  readonly #used = new Set<IgnorePattern>();
  /** Paths that were left out; those of folders end with a slash. */
  readonly paths: string[] = [];

  constructor(globs: readonly string[]) {
    this.#globs = globs.flatMap((glob) => parseIgnorePattern(glob) ?? []);
  }

  /** Patterns of the command line that nothing was left out by. */
  get idle(): readonly string[] {
    return this.#globs.filter((glob) => !this.#used.has(glob)).map(({ text }) => text);
  }

  /** For a path that was named: its globs see it as it was written, and what is below it from there too. */
  of(named: string): FolderExclusion {
    return this.#below([], named);
  }

  #below(lists: readonly IgnoreList[], named: string): FolderExclusion {
    return {
      leavesOut: (path, isFolder) => this.#leavesOut(path, isFolder, lists, named),
      within: (folder, text) => this.#below([{ folder, patterns: parseIgnorePatterns(text) }, ...lists], named),
    };
  }

  #leavesOut(path: string, isFolder: boolean, lists: readonly IgnoreList[], named: string): boolean {
    const written = path.replace(/^(?:\.?\/)+|\/+$/g, '');
    const below = path === named ? written : relative(path, named);
    const glob = decidingPattern(this.#globs, below, isFolder) ?? decidingPattern(this.#globs, written, isFolder);
    if (glob !== undefined) this.#used.add(glob);
    const decided =
      glob ?? firstOf(lists, (list) => decidingPattern(list.patterns, relative(path, list.folder), isFolder));
    if (decided === undefined || decided.isNegated) return false;
    this.paths.push(isFolder ? `${path}/` : path);
    return true;
  }
}

function relative(path: string, folder: string): string {
  if (folder === '.') return path;
  return path.slice(folder.endsWith('/') ? folder.length : folder.length + 1);
}

function firstOf<T, U>(items: readonly T[], find: (item: T) => U | undefined): U | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
