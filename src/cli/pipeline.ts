import type { Compilation } from '../compiler/compilation.ts';
import { type Compiler, type CompileOptions as CompilerOptions, createCompiler } from '../compiler/compile.ts';
import type { Selection } from '../compiler/render-snapshot.ts';
import type { Snapshot } from '../compiler/snapshot.ts';
import { reportUnreadBootstrap } from '../config/unread-bootstrap.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { readKeySetFiles } from '../live/key-sets/files.ts';
import { createKeySetGatherer } from '../live/key-sets/gather.ts';
import type { KeySetOption } from '../live/key-sets/key-set-option.ts';
import { readTemplates } from '../live/read-templates.ts';
import type { SourceFile } from '../source/document.ts';
import type { CliIo } from './io.ts';
import { type InputDisk, type MeshOptions, readMesh, stepsOf } from './read-mesh.ts';

/** Options of what is compiled, beside those of what is read. */
export interface PipelineOptions extends MeshOptions {
  /** All when absent. */
  readonly workload?: readonly { readonly namespace: string; readonly name: string }[];
  readonly templateFile?: string;
  readonly jwks?: readonly KeySetOption[];
  /** Files when absent. */
  readonly delivery?: CompilerOptions['delivery'];
}

type Objects = ReturnType<Compiler['read']>;

/** What a command does between reading and compiling. */
export interface Preparation {
  /** Changes the objects that were read, and gives the texts of those that it added. */
  readonly prepare?: (objects: Objects, compiler: Compiler, bag: DiagnosticBag) => Prepared;
  /** Which proxies to compile, in place of `workload` of the options. */
  readonly select?: (snapshot: Snapshot) => Selection['select'];
  /** Where the inputs are; absent: on this machine. */
  readonly from?: InputDisk | undefined;
}

export interface Prepared {
  readonly objects: Objects;
  readonly texts: readonly SourceFile[];
}

export interface Compiled {
  /** Undefined when the bag holds an error. */
  readonly compilation: Compilation | undefined;
  /** What the compilation was made of; undefined as it is. */
  readonly snapshot: Snapshot | undefined;
  /** The texts that were read, and those that `prepare` added. */
  readonly inputs: readonly SourceFile[];
  /** Inputs, configuration and templates: what diagnostics point into. */
  readonly sources: readonly SourceFile[];
}

/** From the command line to a compilation: everything that is read is read here. */
export async function compileInputs(
  paths: readonly string[],
  options: PipelineOptions,
  io: CliIo,
  bag: DiagnosticBag,
  { prepare, select, from }: Preparation = {},
): Promise<Compiled> {
  const { templateFile, jwks = [], workload = 'all', delivery } = options;
  const { inputs: read, settings, sources } = await readMesh(paths, options, io, bag, from);
  reportUnreadBootstrap(settings, sources, { isCustom: false, isTemplate: templateFile !== undefined }, bag);
  const templates = templateFile === undefined ? undefined : await readTemplates(templateFile, bag);
  const keySets = createKeySetGatherer(await readKeySetFiles(jwks));
  const onStep = stepsOf(io, options);
  const compiler = createCompiler({
    settings,
    onStep,
    delivery,
    ...(templates?.value && { templates: templates.value }),
  });
  // With errors so far the compiler still looks at every object, so that all mistakes are told in one run.
  const given = compiler.read(read, bag);
  const { objects, texts } = prepare?.(given, compiler, bag) ?? { objects: given, texts: [] };
  const keys = await keySets.gather(objects, bag);
  const snapshot = bag.hasErrors || read.length === 0 ? undefined : compiler.analyse(objects, bag);
  const compilation =
    snapshot && compiler.render(snapshot, { select: select?.(snapshot) ?? workload, keySets: keys }, bag);
  const inputs = [...read, ...texts];
  const files = [...inputs, ...sources, ...(templates?.files ?? [])];
  return { ...(bag.hasErrors ? failed : { compilation, snapshot }), inputs, sources: files };
}

const failed = { compilation: undefined, snapshot: undefined } as const;
