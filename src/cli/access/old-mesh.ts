import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { CommitDisk } from '../../git/commit-disk.ts';
import { ObjectReader } from '../../git/object-reader.ts';
import { openCommit } from '../../git/open-commit.ts';
import { openRepository } from '../../git/open-repository.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { defaultLimits } from '../../source/limits.ts';
import { findCommit } from '../git-changes.ts';
import type { CliIo } from '../io.ts';
import { type AccessOptions, type OpenMesh, openMesh } from './open-mesh.ts';

/** Options that say what the policies were when the log was written. */
export interface OldMeshOptions extends AccessOptions {
  readonly old?: readonly string[];
  readonly changedSince?: string;
}

/** The mesh before the change: other inputs, or those of `paths` at a revision of git. Undefined as `openMesh` gives it. */
export async function openOldMesh(
  paths: readonly string[],
  options: OldMeshOptions,
  io: CliIo,
): Promise<OpenMesh | undefined> {
  const { old, changedSince, filename: _inputs, ...rest } = options;
  if (old !== undefined && changedSince !== undefined) {
    throw new UsageError('--old and --changed-since exclude each other: both say what the policies were');
  }
  if (old !== undefined) return openMesh(old, rest, io);
  if (changedSince === undefined) {
    throw new UsageError('nothing to compare with: name the old inputs with --old, or a revision with --changed-since');
  }
  if (paths.includes('-')) throw new UsageError('--changed-since needs files in a git repository, not standard input');
  const { root, commit } = await findCommit(changedSince, paths[0] ?? '.');
  const top = await realpath(root);
  const reader = new ObjectReader(await openRepository(root));
  try {
    const { tree } = await openCommit(commit, reader);
    const disk = new CommitDisk({ reader, tree, mostFileBytes: options.maxFileSize ?? defaultLimits.maxFileBytes });
    const names = await Promise.all(paths.map((path) => nameIn(top, path)));
    return await openMesh(names, rest, io, { from: { disk, label: changedSince } });
  } finally {
    reader.close();
  }
}

async function nameIn(top: string, path: string): Promise<string> {
  const name = relative(top, await realpath(path).catch(() => resolve(path)));
  if (!name.startsWith('..')) return name === '' ? '.' : name;
  throw new UsageError(`--changed-since: "${path}" is not in the repository "${top}"`);
}
