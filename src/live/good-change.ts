import { without } from '../lib/without.ts';
import type { SourceFile } from '../source/document.ts';

/** Inputs that are in force, with what else is known of them. */
interface WithFiles {
  readonly files: readonly SourceFile[];
}

/** What changed of the last valid inputs: most files of most changes stay. */
export interface GoodChange<T extends WithFiles> {
  readonly files: readonly SourceFile[];
  readonly removed: readonly string[];
  readonly rest: Omit<T, 'files'>;
}

/** Tells what became different of the last valid inputs since `first`, and since it was called last. */
export function goodTeller<T extends WithFiles>(
  first: T | undefined,
  tell: (change: GoodChange<T>) => void,
): (good: T) => void {
  let known = first?.files ?? [];
  return ({ files, ...rest }) => {
    const gone = without(known, files);
    const texts = new Map(gone.map(({ path, text }) => [path, text]));
    const come = without(files, known);
    const changed = come.filter(({ path, text }) => texts.get(path) !== text);
    for (const { path } of come) texts.delete(path);
    known = files;
    tell({ files: changed.map((file) => ({ ...file })), removed: [...texts.keys()], rest });
  };
}

/** The last valid inputs after the change. */
export function withChange<T extends WithFiles>(
  good: T | undefined,
  { files, removed, rest }: GoodChange<T>,
): WithFiles & Omit<T, 'files'> {
  const texts = new Map((good?.files ?? []).map((file) => [file.path, file]));
  for (const path of removed) texts.delete(path);
  for (const file of files) texts.set(file.path, file);
  return { files: [...texts.values()], ...rest };
}
