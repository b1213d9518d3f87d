import { analyse as analyseTexts } from '../compiler/analyse.ts';
import { placeDiagnostics } from '../diagnostics/placed.ts';
import { type AnalyseInput, checkTexts } from './input.ts';
import { readInput } from './read-input.ts';
import type { AnalyseResult } from './result.ts';
import { snapshotOf } from './snapshot-of.ts';

/**
 * Says which policy is in force where, from texts alone, and makes no Envoy configuration. A mistake in a text is a
 * diagnostic; a TypeError is thrown for input that is not of its type.
 */
export async function analyse(input: AnalyseInput): Promise<AnalyseResult> {
  checkTexts('analyse', input);
  const { settings, sources, bag } = readInput(input);
  const snapshot = analyseTexts({ files: input.files, settings }, bag);
  const shown = [...input.files, ...sources];
  return {
    snapshot: snapshot && snapshotOf(snapshot, input.files),
    diagnostics: placeDiagnostics(bag.all, shown),
    fileCount: shown.length,
  };
}
