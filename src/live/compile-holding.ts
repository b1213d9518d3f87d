import type { HeldObjects } from '../contracts/compile-result.ts';
import type { Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import { type GoodInputs, isLastGood } from './good-versions.ts';
import { type HeldObject, type IsElsewhere, mend } from './last-good.ts';

/** One compilation of some files; the value is absent when the bag holds an error. */
export interface Attempt<T> {
  readonly bag: DiagnosticBag;
  readonly value: T | undefined;
}

/** What came of the inputs, where need be with the last good versions of some objects. */
export interface Holding<T> {
  readonly value: T | undefined;
  /** What was compiled last. */
  readonly files: readonly SourceFile[];
  /** Of the last compilation; with errors when nothing could be compiled. */
  readonly bag: DiagnosticBag;
  /** Objects at fault; held only when there is a value. */
  readonly objects: HeldObjects['objects'];
  /** Every error that was met. */
  readonly errors: readonly Diagnostic[];
}

/** Each round holds further documents, so that this many show that the inputs as a whole do not fit the old objects. */
const maxRounds = 20;

/**
 * Compiles the files; while that fails, puts the last good versions of the objects at fault in their place. One bad
 * object so does not hold up the others, and is itself neither dropped nor used in its bad form.
 */
export async function compileHolding<T>(
  files: readonly SourceFile[],
  good: GoodInputs | undefined,
  isElsewhere: IsElsewhere,
  attempt: (files: readonly SourceFile[]) => Promise<Attempt<T>>,
): Promise<Holding<T>> {
  const errors: Diagnostic[] = [];
  const objects: HeldObject[] = [];
  let current = files;
  for (let round = 0; ; round++) {
    const { bag, value } = await attempt(current);
    if (value !== undefined && !bag.hasErrors) return { value, files: current, bag, objects, errors };
    const found = bag.all.filter(({ severity }) => severity === 'error');
    // What does not fit old versions follows from what made them necessary.
    const told = found.filter(({ span }) => span === undefined || !isLastGood(span.file));
    for (const error of errors.length + told.length === 0 ? found : told) errors.push(error);
    const mended = mend(current, found, good, isElsewhere);
    for (const object of mended.objects) objects.push(object);
    if (mended.files === undefined || round === maxRounds) {
      return { value: undefined, files: current, bag, objects, errors };
    }
    current = mended.files;
  }
}
