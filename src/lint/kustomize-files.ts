import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonValue, SourceFile } from '../source/document.ts';
import { parse } from '../source/parse.ts';

/** One file of Kustomize, which says what the files beside it are. */
export interface Kustomization {
  readonly path: string;
  /** Its folder, without a slash at the end; `.` for that of the run. */
  readonly folder: string;
  /** Files that are no objects by themselves: patches, and what tells Kustomize how to change objects. */
  readonly parts: ReadonlySet<string>;
  /** Files and folders whose objects it takes over. */
  readonly resources: ReadonlySet<string>;
}

/** Kustomize reads files of these names alone. */
export function isKustomization(path: string): boolean {
  return /(^|\/)(kustomization\.ya?ml|Kustomization)$/.test(path);
}

/** What a file of Kustomize says; one that cannot be read says nothing. */
export function readKustomization(file: SourceFile): Kustomization {
  const folder = folderOf(file.path);
  const parts = new Set<string>();
  const resources = new Set<string>();
  for (const { value } of parse([file], new DiagnosticBag())) {
    for (const [field, entries] of Object.entries(value)) {
      const into = partFields.has(field) ? parts : resourceFields.has(field) ? resources : undefined;
      for (const path of into === undefined ? [] : pathsOf(entries)) into?.add(joined(folder, path));
    }
  }
  return { path: file.path, folder, parts, resources };
}

const partFields: ReadonlySet<string> = new Set([
  ...['patches', 'patchesStrategicMerge', 'patchesJson6902', 'replacements'],
  ...['configurations', 'transformers', 'generators', 'validators'],
]);

const resourceFields: ReadonlySet<string> = new Set(['resources', 'bases', 'components']);

/** Entries are paths, mappings with a path, or YAML in place of one, which has several lines. */
function pathsOf(entries: JsonValue): readonly string[] {
  if (!Array.isArray(entries)) return [];
  const named = (entries as readonly JsonValue[]).map((entry) =>
    typeof entry === 'object' && entry !== null && 'path' in entry ? entry.path : entry,
  );
  return named.filter((path) => typeof path === 'string' && path !== '' && !/[\n:]/.test(path)) as readonly string[];
}

/** Folder of a path; `.` where it has none. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '.' : path.slice(0, slash);
}

/** A path that is written in a file of the folder, as the inputs name it. */
function joined(folder: string, path: string): string {
  const parts: string[] = folder === '.' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.length === 0 ? '.' : parts.join('/');
}
