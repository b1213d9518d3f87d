import type { Settings } from '../config/settings.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { KeySets } from '../policy/key-sets.ts';
import type { MeshObject } from '../policy/object.ts';
import type { SourceFile } from '../source/document.ts';
import { type Analyse, createAnalyser } from './analyse.ts';
import type { Compilation } from './compilation.ts';
import { type Change, ObjectStore } from './object-store.ts';
import { createObjectReader, type ReadingOptions, type ReadObjects } from './read-objects.ts';
import { createSnapshotRenderer, type RenderOptions, type RenderSnapshot, type Selection } from './render-snapshot.ts';

export interface CompileOptions extends RenderOptions, ReadingOptions {
  readonly settings: Settings;
}

/** A compiler that remembers: compiling again costs what changed. */
export interface Compiler {
  readonly read: ReadObjects;
  readonly analyse: Analyse;
  readonly render: RenderSnapshot;
  /** Analysis and rendering. Undefined when the bag holds an error; nothing of a faulty input is given out. */
  compileObjects(
    objects: readonly MeshObject<string>[],
    select: Selection['select'],
    bag: DiagnosticBag,
    keySets?: KeySets,
  ): Compilation | undefined;
  /**
   * The same for the objects that earlier batches left, changed by this one, which holds also when it is undefined. What it
   * gives is what a fresh compiler gives of those objects; it costs what the batch changes.
   */
  update(
    batch: Iterable<Change>,
    select: Selection['select'],
    bag: DiagnosticBag,
    keySets?: KeySets,
  ): Compilation | undefined;
  /** All three in one. */
  compile(
    files: readonly SourceFile[],
    select: Selection['select'],
    bag: DiagnosticBag,
    keySets?: KeySets,
  ): Compilation | undefined;
}

/** Text in, Envoy configuration out; pure. One call of a fresh compiler. */
export function compile(
  input: CompileOptions & {
    readonly files: readonly SourceFile[];
    readonly select: Selection['select'];
    readonly keySets?: KeySets;
  },
  bag: DiagnosticBag,
): Compilation | undefined {
  return createCompiler(input).compile(input.files, input.select, bag, input.keySets);
}

/**
 * Reading, analysis and rendering, in this order. Between calls they keep what did not change, by identity: an unchanged
 * file gives the same objects, the same objects the same topology, and so on down to the rendered resources.
 */
export function createCompiler({ settings, ...options }: CompileOptions): Compiler {
  const read = createObjectReader(options);
  const analyse = createAnalyser(settings);
  const render = createSnapshotRenderer(options);
  const store = new ObjectStore();

  const compileObjects: Compiler['compileObjects'] = (objects, select, bag, keySets) => {
    const snapshot = analyse(objects, bag);
    return snapshot && render(snapshot, { select, keySets }, bag);
  };

  return {
    ...{ read, analyse, render, compileObjects },
    update: (batch, select, bag, keySets) => {
      store.change(batch);
      return compileObjects(store.objects, select, bag, keySets);
    },
    compile: (files, select, bag, keySets) => {
      const objects = read(files, bag);
      return bag.hasErrors ? undefined : compileObjects(objects, select, bag, keySets);
    },
  };
}
