import type { SourceFile } from '../source/document.ts';

/** Inputs that are in force, with what else is known of them. */
interface WithFiles {
  readonly files: readonly SourceFile[];
}

/** What changed of the last good inputs: most files of most changes stay. */
export interface GoodChange<T extends WithFiles> {
  readonly files: readonly SourceFile[];
  readonly removed: readonly string[];
  readonly rest: Omit<T, 'files'>;
}

/** Tells what became different of the last good inputs since `first`, and since it was called last. */
export function goodTeller<T extends WithFiles>(
  first: T | undefined,
  tell: (change: GoodChange<T>) => void,
): (good: T) => void {
  let known = new Map(first?.files.map(({ path, text }) => [path, text]));
  return ({ files, ...rest }) => {
    const changed = files.filter(({ path, text }) => known.get(path) !== text);
    const now = new Map(files.map(({ path, text }) => [path, text]));
    const removed = [...known.keys()].filter((path) => !now.has(path));
    known = now;
    tell({ files: changed.map((file) => ({ ...file })), removed, rest });
  };
}

/** The last good inputs after the change. */
export function withChange<T extends WithFiles>(
  good: T | undefined,
  { files, removed, rest }: GoodChange<T>,
): WithFiles & Omit<T, 'files'> {
  const texts = new Map((good?.files ?? []).map((file) => [file.path, file]));
  for (const path of removed) texts.delete(path);
  for (const file of files) texts.set(file.path, file);
  return { files: [...texts.values()], ...rest };
}
