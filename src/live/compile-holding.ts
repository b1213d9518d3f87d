import type { HeldObjects } from '../contracts/compile-result.ts';
import type { Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import { type GoodInputs, isLastValid } from './good-versions.ts';
import { type Fault, type HeldObject, type MendRules, mend } from './last-valid.ts';

/** One compilation of some files; the value is absent when the bag holds an error. */
export interface Attempt<T> {
  readonly bag: DiagnosticBag;
  readonly value: T | undefined;
  /** Errors that are those of some proxies alone, which are left out of the value. Absent: none. */
  readonly ofProxies?: readonly Diagnostic[];
}

/** What came of the inputs, where need be with the last valid versions of some objects. */
export interface Holding<T> {
  readonly value: T | undefined;
  /** What was compiled last. */
  readonly files: readonly SourceFile[];
  /** Of the last compilation; with errors when nothing could be compiled. */
  readonly bag: DiagnosticBag;
  /** Objects at fault; held only when there is a value. */
  readonly objects: HeldObjects['objects'];
  /** The same with what is wrong with each, and whether it is held or left out. */
  readonly faults: readonly Fault[];
  /** Every error that was met. */
  readonly errors: readonly Diagnostic[];
}

/** Each round holds further documents, so that this many show that the inputs as a whole do not fit the old objects. */
const maxRounds = 20;

/**
 * Compiles the files; while that fails, puts the last valid versions of the objects at fault in their place. One bad
 * object so does not hold up the others, and is itself neither dropped nor used in its bad form. Where everything may be
 * left out, the caller finds out whom that concerns (`faults`).
 */
export async function compileHolding<T>(
  files: readonly SourceFile[],
  good: GoodInputs | undefined,
  isElsewhere: MendRules['isElsewhere'],
  attempt: (files: readonly SourceFile[]) => Promise<Attempt<T>>,
): Promise<Holding<T>> {
  const errors: Diagnostic[] = [];
  const faults: Fault[] = [];
  const objects: HeldObject[] = [];
  let current = files;
  for (let round = 0; ; round++) {
    const { bag, value, ofProxies = [] } = await attempt(current);
    const found = [...bag.all.filter(({ severity }) => severity === 'error'), ...ofProxies];
    if (value !== undefined && found.length === 0) return { value, files: current, bag, objects, faults, errors };
    // What does not fit old versions follows from what made them necessary.
    const told = found.filter(({ span }) => span === undefined || !isLastValid(span.file));
    for (const error of errors.length + told.length === 0 ? found : told) errors.push(error);
    const ofOneProxy = new Set(ofProxies);
    const mended = mend(current, found, good, { isElsewhere, ofOneProxy });
    for (const fault of mended.faults) faults.push(fault);
    for (const object of mended.objects) objects.push(object);
    const isAsFarAsItGets =
      mended.unplaced.length === found.length && mended.unplaced.every((it) => ofOneProxy.has(it));
    if (value !== undefined && isAsFarAsItGets) return { value, files: current, bag, objects, faults, errors };
    if (mended.files === undefined || mended.unplaced.some((error) => !ofOneProxy.has(error)) || round === maxRounds) {
      return { value: undefined, files: current, bag, objects, faults, errors };
    }
    current = mended.files;
  }
}
