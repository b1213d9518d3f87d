import { formatChanges, parseChanges } from './change-text.ts';
import { applyChanges, changesBetween } from './changes.ts';
import { contentOf, textOf } from './content.ts';

/** Texts by path, below the folder of a case. */
export type CaseFiles = ReadonlyMap<string, string>;

/** A case and its whole files. */
export interface Base {
  readonly name: string;
  readonly files: CaseFiles;
}

/** Names the base and tells what is different from it; the only file that the compiler does not write. */
export const changesFile = 'changes.diff';

/** A case's own: never as in the base. */
const diagnostics = 'diagnostics.txt';

/** What `golden/` holds of a case that builds on `base`: the changes, and whole what the base has not. */
export function storedForm(files: CaseFiles, base: Base): CaseFiles {
  const stored = new Map([...files].filter(([path]) => path === diagnostics || !base.files.has(path)));
  const absent = new Set<string>();
  const sections: string[] = [];
  for (const [path, before] of [...base.files].sort()) {
    const text = files.get(path);
    if (path === diagnostics || text === before) continue;
    if (text === undefined) absent.add(highestAbsent(path, files));
    else
      sections.push(
        `\nchanged: ${path}\n${formatChanges(changesBetween(contentOf(path, before), contentOf(path, text)))}`,
      );
  }
  const names = [...stored.keys()].filter((path) => path !== diagnostics).sort();
  const lists = [...[...absent].map((path) => `absent: ${path}\n`), ...names.map((path) => `new: ${path}\n`)].join('');
  return stored.set(changesFile, `as in ${base.name}\n${lists === '' ? '' : `\n${lists}`}${sections.join('')}`);
}

/** A path, or the folder of it highest up in which a case has no file. */
function highestAbsent(path: string, files: CaseFiles): string {
  const parts = path.split('/');
  const folders = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  return folders.find((folder) => ![...files.keys()].some((file) => file.startsWith(`${folder}/`))) ?? path;
}

/** The whole files of a case, of what is stored of it; `filesOf` gives those of its base. */
export function wholeForm(stored: CaseFiles, filesOf: (name: string) => CaseFiles): CaseFiles {
  const text = stored.get(changesFile);
  if (text === undefined) return stored;
  const [, base = '', rest = ''] = /^as in (.*)\n((?:.|\n)*)$/.exec(text) ?? [];
  const files = new Map([...filesOf(base)].filter(([path]) => path !== diagnostics));
  for (const [path, file] of stored) if (path !== changesFile) files.set(path, file);
  for (const section of rest.split(/^(?=absent: |new: |changed: )/m)) {
    const [first = ''] = section.split('\n', 1);
    const [kind, path = ''] = first.split(': ');
    if (kind === 'absent') remove(files, path);
    else if (kind === 'changed') files.set(path, changed(path, files.get(path), section.slice(first.length + 1)));
    else if (kind !== 'new' && section.trim() !== '') throw new Error(`not a section of ${changesFile}: ${section}`);
  }
  return files;
}

function remove(files: Map<string, string>, absent: string): void {
  for (const path of [...files.keys()]) if (path === absent || path.startsWith(`${absent}/`)) files.delete(path);
}

function changed(path: string, base: string | undefined, changes: string): string {
  if (base === undefined) throw new Error(`${path} is changed, which the base has not`);
  return textOf(path, applyChanges(contentOf(path, base), parseChanges(`${changes.trimEnd()}\n`)));
}

/** Files that the changes `now` name and the changes `before` do not: they were as in the base. */
export function newlyDifferent(before: string | undefined, now: string | undefined): readonly string[] {
  if (before === undefined || now === undefined) return [];
  const named = (text: string): readonly string[] =>
    [...text.matchAll(/^(?:changed|new|absent): (.*)$/gm)].map(([, path = '']) => path);
  return named(now).filter((path) => !named(before).includes(path));
}
