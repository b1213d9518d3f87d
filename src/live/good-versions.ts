import type { MeshObject } from '../policy/object.ts';
import type { DocumentRange } from '../source/cut.ts';
import type { JsonObject, SourceFile } from '../source/document.ts';
import { CutFiles } from './cut-files.ts';
import { keyOf, nameOf, type ObjectName } from './object-name.ts';

/** Inputs that were compiled, and what they held. */
export interface GoodInputs {
  readonly files: readonly SourceFile[];
  readonly objects: readonly MeshObject<string>[];
}

/** The last valid version of an object. */
export interface GoodVersion {
  /** Of the document in which it stood. */
  readonly text: string;
  /** Of the file in which it stood. */
  readonly path: string;
  readonly object: JsonObject;
  /** The document as a file of its own, in which it stands on the line where it stood. */
  readonly file: SourceFile;
}

/** Ends the name of the file that the user knows; no file of a user is called so by accident. */
const suffix = ' (last valid version of ';

/** Ends the name of a file that nobody wrote: it closes what an object that was never good may have closed. */
const closedSuffix = ' (closed in place of ';

/** Whether a file is the last valid version of an object, or what closes in its place. */
export function isLastValid(path: string): boolean {
  return path.includes(suffix) || isStandIn(path);
}

/** Whether a file closes in place of an object that was never good. */
export function isStandIn(path: string): boolean {
  return path.includes(closedSuffix);
}

/** Path of the file that has the last valid version of an object of `path`. */
export function standInPath(path: string, { kind, namespace, name }: ObjectName): string {
  return `${nameOfFile(path)}${closedSuffix}${kind} ${namespace}/${name})`;
}

/** The user's file behind a path: the path itself, or the file whose object's last valid version the path has. */
export function nameOfFile(path: string): string {
  return isLastValid(path) ? (path.split(suffix)[0]?.split(closedSuffix)[0] ?? path) : path;
}

/** The last valid versions by the key of their object (see `keyOf`). */
export function goodVersions(good: GoodInputs | undefined): ReadonlyMap<string, GoodVersion> {
  const versions = new Map<string, GoodVersion>();
  const files = new Map((good?.files ?? []).map((file) => [file.path, file]));
  const cuts = new CutFiles();
  const placed: { readonly file: SourceFile; readonly range: DocumentRange; readonly object: JsonObject }[] = [];
  const inRange = new Map<DocumentRange, number>();
  for (const { document } of good?.objects ?? []) {
    if (isStandIn(document.file)) continue;
    const file = files.get(document.file);
    const range = file && cuts.rangeAt(file, document.start.start);
    if (file === undefined || range === undefined) continue;
    placed.push({ file, range, object: document.value });
    inRange.set(range, (inRange.get(range) ?? 0) + 1);
  }
  for (const { file, range, object } of placed) {
    const isOneOfMany = (inRange.get(range) ?? 0) > 1;
    versions.set(keyOf(object), versionOf(file, range, cuts.lineAt(file, range.start), object, isOneOfMany));
  }
  return versions;
}

function versionOf(
  file: SourceFile,
  range: DocumentRange,
  line: number,
  object: JsonObject,
  isOneOfMany: boolean,
): GoodVersion {
  const text = file.text.slice(range.start, range.end);
  const path = nameOfFile(file.path);
  const { kind, namespace, name } = nameOf(object);
  return {
    ...{ text, path, object },
    // Of a hundred thousand objects few are asked for, and the lines above each would be copied.
    get file() {
      // The text of a list would bring all others of it, too.
      const own = isOneOfMany ? JSON.stringify(object) : text;
      return { path: `${path}${suffix}${kind} ${namespace}/${name})`, text: '\n'.repeat(line - 1) + own };
    },
  };
}
