import type { SourceFile } from '../../source/document.ts';
import type { Batch } from './registry.ts';

/** By the text, for a file with errors has no objects; what writes letters by their numbers may name anything. */
const ofAccess =
  /AuthorizationPolicy|PeerAuthentication|RequestAuthentication|ReferenceGrant|\bSecret\b|kind["']?\s*:\s*(?:[!&|>]\S*\s+)*["']?Gateway|\\[ux]/i;
const kinds = /["']?\bkind["']?\s*:\s*["']?(\w+)/g;
const ofEndpoints: ReadonlySet<string> = new Set(['Pod', 'Endpoints', 'EndpointSlice', 'WorkloadEntry']);

/** Compares files with those of the previous time, and gives the differences as a batch. */
export class FileBatches {
  #known: ReadonlyMap<string, string> | undefined;
  #hasFailed = false;

  /** What is given was not read this time: that it can be read again is told, though it be the same. */
  failed(): void {
    this.#hasFailed = true;
  }

  /** Whether any of the files held rules about access last time, or does now. */
  areOfAccess(paths: readonly string[], files: readonly SourceFile[]): boolean {
    const asked = new Set(paths);
    const texts = files.filter(({ path }) => asked.has(path)).map(({ text }) => text);
    return [...texts, ...paths.map((path) => this.#known?.get(path) ?? '')].some((text) => ofAccess.test(text));
  }

  /** Undefined when nothing differs and nothing is wrong. */
  take(files: readonly SourceFile[], hasErrors: boolean): Batch | undefined {
    const before = this.#known;
    const isToldAnyhow = before === undefined || hasErrors || this.#hasFailed;
    this.#hasFailed = false;
    const now = new Map(files.map(({ path, text }) => [path, text]));
    this.#known = now;
    const changed = [...new Set([...now.keys(), ...(before?.keys() ?? [])])].filter(
      (path) => now.get(path) !== before?.get(path),
    );
    if (!isToldAnyhow && changed.length === 0) return undefined;
    const texts = changed.flatMap((path) => [now.get(path) ?? [], before?.get(path) ?? []].flat());
    const found = texts.flatMap((text) => [...text.matchAll(kinds)].map(([, kind = '']) => kind));
    return {
      files,
      isUrgent: texts.some((text) => ofAccess.test(text)),
      isEndpoints: found.length > 0 && found.every((kind) => ofEndpoints.has(kind)),
    };
  }
}
