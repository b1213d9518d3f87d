import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import { SourceError } from '../source/find.ts';
import { type ReadOptions, readSources } from '../source/read.ts';

/** Whoever removes one file after the other under our eyes is told so. */
const mostLooks = 10;

/**
 * As `readSources`, for folders that others write to meanwhile: where a file is gone by the time that it is read, all are found
 * anew, for it may have another name now. A path that is missing twice, such as the end of a dead link, throws.
 */
export async function readSettledSources(
  paths: readonly string[],
  bag: DiagnosticBag,
  options: ReadOptions = {},
): Promise<SourceFile[]> {
  const gone = new Set<string>();
  for (;;) {
    const own = new DiagnosticBag();
    try {
      const files = await readSources(paths, own, options);
      bag.addAll(own.all);
      return files;
    } catch (error) {
      const path = goneOf(error);
      if (path === undefined || gone.has(path) || gone.size + 1 >= mostLooks) throw error;
      gone.add(path);
    }
  }
}

/** The path that was not there. */
function goneOf(error: unknown): string | undefined {
  if (!(error instanceof SourceError)) return undefined;
  const { code, path } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOENT' ? path : undefined;
}
