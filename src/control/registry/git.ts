import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { CommitDisk } from '../../git/commit-disk.ts';
import { findPoint, type Point } from '../../git/find-point.ts';
import { ObjectReader } from '../../git/object-reader.ts';
import { type Commit, openCommit } from '../../git/open-commit.ts';
import { openRepository, type Repository } from '../../git/open-repository.ts';
import { fullId, type Revision } from '../../git/revision.ts';
import { causesText } from '../../lib/failure.ts';
import type { SourceFile } from '../../source/document.ts';
import { defaultLimits } from '../../source/limits.ts';
import { type ReadThrough, readSources } from '../../source/read.ts';
import { type PathsWatch, watchPaths } from '../../watch/watch.ts';
import { FileBatches } from './file-batches.ts';
import type { Batch, Registry, RegistryRevision } from './registry.ts';

/** Events of one write are told as one. Where none come, looking at a few names costs nothing. */
const watching = { debounceMs: 10, debounceMaxMs: 100, pollMs: 500 };

const shortestRetryMs = 1_000;
const longestRetryMs = 60_000;

interface Kept {
  readonly id: string;
  readonly files: SourceFile[];
}

/**
 * Reads the files of a commit, and follows the name of its reference. Files come from the repository's objects; index and
 * working tree do not matter. If the commit can't be read, the previous files stay, the reason is reported once, and reading
 * is tried again.
 */
export class GitRegistry implements Registry {
  readonly folders = [];
  readonly figures = [];
  readonly #folder: string;
  readonly #revision: Revision;
  readonly #batches = new FileBatches();
  /** Full name of the reference, once it was found. */
  #name: string;
  #kept: ReadonlyMap<string, Kept> = new Map();
  #commit: Commit | undefined;
  /** Id that the commit was found by. */
  #readId: string | undefined;
  #problem: string | undefined;
  #watch: PathsWatch | undefined;
  #watched: readonly string[] = [];
  #onChange: () => void = () => undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = shortestRetryMs;

  /** `folder` is the repository's. */
  constructor(folder: string, revision: Revision) {
    this.#folder = folder;
    this.#revision = revision;
    this.#name = revision.name;
  }

  get revision(): RegistryRevision {
    const { id, committedAtMs } = this.#commit ?? {};
    return { name: this.#revision.text, commit: id, committedAtMs, problem: this.#problem };
  }

  async follow(onChange: () => void): Promise<void> {
    this.#onChange = onChange;
    this.#watch = await watchPaths(this.#watched, { ...watching, onChange });
  }

  close(): void {
    this.#watch?.close();
    clearTimeout(this.#retry);
  }

  accept(): void {
    // A commit has all of its files, whatever is mounted where.
  }

  /** What a commit does not have is gone. */
  forget(): number {
    return 0;
  }

  /** Throws what keeps the commit from being read, once for each reason. */
  async look(bag: DiagnosticBag): Promise<Batch | undefined> {
    try {
      const batch = await this.#look(bag);
      this.#problem = undefined;
      this.#retryMs = shortestRetryMs;
      return batch;
    } catch (error) {
      this.#batches.failed();
      this.#readId = undefined;
      this.#tryAgain();
      const problem = causesText(error);
      if (problem === this.#problem) return undefined;
      this.#problem = problem;
      throw new Error(`the revision "${this.#revision.text}" cannot be read; ${this.#stays()}: ${problem}`);
    }
  }

  #stays(): string {
    return this.#commit === undefined ? 'no commit of it was read yet' : `commit ${this.#commit.id} stays in force`;
  }

  async #look(bag: DiagnosticBag): Promise<Batch | undefined> {
    const repository = await openRepository(this.#folder);
    const point = await findPoint(repository, this.#name);
    this.#name = point.name;
    await this.#watchFiles(repository, point);
    if (point.id === this.#readId) return undefined;
    try {
      return await this.#readPoint(repository, point, bag);
    } catch (error) {
      // Whoever moves a branch may at once delete what it stood for.
      if ((await findPoint(repository, this.#name)).id === point.id) throw error;
      return this.#look(bag);
    }
  }

  async #readPoint(repository: Repository, point: Point, bag: DiagnosticBag): Promise<Batch | undefined> {
    const reader = new ObjectReader(repository);
    try {
      const commit = await openCommit(point.id, reader);
      const own = new DiagnosticBag();
      const files = await this.#read(reader, commit, own);
      const label = fullId.test(this.#revision.name) ? commit.id.slice(0, 12) : this.#revision.name;
      bag.addAll(own.all.map((diagnostic) => inRevision(diagnostic, label)));
      this.#commit = commit;
      this.#readId = point.id;
      const named = files.map((file) => ({ ...file, path: `${label}:${file.path}` }));
      const batch = this.#batches.take(named, bag.hasErrors);
      return batch && { ...batch, commit: commit.id };
    } finally {
      reader.close();
    }
  }

  /** A file whose object is the same as before is not read again. */
  async #read(reader: ObjectReader, { tree }: Commit, bag: DiagnosticBag): Promise<readonly SourceFile[]> {
    const disk = new CommitDisk({ reader, tree, mostFileBytes: defaultLimits.maxFileBytes });
    const kept = new Map<string, Kept>();
    const through: ReadThrough = async (path, read) => {
      const id = await disk.idOf(path);
      const before = this.#kept.get(path);
      const files = before?.id === id ? before.files : await read();
      // What is refused is told of each time.
      if (files.length > 0) kept.set(path, { id, files });
      return files;
    };
    const files = await readSources([this.#revision.folder || '.'], bag, { filesOnly: true, disk, through });
    this.#kept = kept;
    return files;
  }

  /** A worktree is a file `.git` that names a folder, and may be replaced as one. */
  async #watchFiles({ gitFolder }: Repository, { files }: Point): Promise<void> {
    const own = join(this.#folder, '.git');
    const isFile = await stat(own).then(
      (stats) => stats.isFile(),
      () => false,
    );
    this.#watched = [join(gitFolder, 'HEAD'), ...files, ...(isFile ? [own] : [])];
    this.#watch?.follow(this.#watched);
  }

  #tryAgain(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#onChange(), this.#retryMs);
    this.#retryMs = Math.min(longestRetryMs, this.#retryMs * 2);
  }
}

/** As git names a file of a revision: `git show REVISION:FILE` prints it. */
function inRevision(diagnostic: Diagnostic, label: string): Diagnostic {
  const { span } = diagnostic;
  return span === undefined ? diagnostic : { ...diagnostic, span: { ...span, file: `${label}:${span.file}` } };
}
