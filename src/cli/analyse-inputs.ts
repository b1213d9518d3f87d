import { createAnalyser } from '../compiler/analyse.ts';
import { isPolicyKind } from '../compiler/collect.ts';
import { createObjectReader, type ReadObjects } from '../compiler/read-objects.ts';
import type { Snapshot } from '../compiler/snapshot.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import type { CliIo } from './io.ts';
import { type MeshOptions, readMesh } from './read-mesh.ts';

export interface AnalysedInputs {
  /** Undefined when the bag holds an error. */
  readonly snapshot: Snapshot | undefined;
  /** Where the bag holds an error: the sound policies alone, of equal names the first; undefined when these hold an error too. */
  readonly sound?: Snapshot | undefined;
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
  const analyse = (some: Objects, own: DiagnosticBag) => createAnalyser(settings, { isPartial: true })(some, own);
  const snapshot = bag.hasErrors ? undefined : analyse(objects, bag);
  const files = [...inputs, ...sources];
  return bag.hasErrors
    ? { snapshot, sound: analyse(firstPolicies(objects), new DiagnosticBag()), files, isEmpty }
    : { snapshot, files, isEmpty };
}

type Objects = ReturnType<ReadObjects>;

function firstPolicies(objects: Objects): Objects {
  const firsts = new Map<string, Objects[number]>();
  for (const object of objects) {
    const key = `${object.kind}/${object.namespace}/${object.name}`;
    if (isPolicyKind(object.kind) && !firsts.has(key)) firsts.set(key, object);
  }
  return [...firsts.values()];
}
