import { createAnalyser } from '../compiler/analyse.ts';
import { createObjectReader } from '../compiler/read-objects.ts';
import type { Snapshot } from '../compiler/snapshot.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import type { CliIo } from './io.ts';
import { type MeshOptions, readMesh } from './read-mesh.ts';

export interface AnalysedInputs {
  /** Undefined when the bag holds an error. */
  readonly snapshot: Snapshot | undefined;
  /** Inputs and configuration: what findings point into. */
  readonly files: readonly SourceFile[];
  /** There is no object of a kind that is read, and no fault that would explain it. */
  readonly isEmpty: boolean;
}

/** From the command line to a snapshot of what may be a part of a mesh: everything that is read is read here. */
export async function analyseInputs(
  paths: readonly string[],
  options: MeshOptions,
  io: CliIo,
  bag: DiagnosticBag,
): Promise<AnalysedInputs> {
  const { inputs, settings, sources } = await readMesh(paths, options, io, bag);
  const isWithoutText = bag.all.some(({ code }) => code === 'empty-input');
  const objects = createObjectReader()(inputs, bag);
  const isEmpty = isWithoutText || (objects.length === 0 && !bag.hasErrors);
  if (isEmpty && !isWithoutText) bag.report('empty-input', undefined, { what: 'the input', thing: 'object' });
  const snapshot = bag.hasErrors ? undefined : createAnalyser(settings, { isPartial: true })(objects, bag);
  return { snapshot, files: [...inputs, ...sources], isEmpty };
}
