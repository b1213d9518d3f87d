import type { Compilation } from '../compiler/compilation.ts';
import { type CompileOptions as CompilerOptions, createCompiler } from '../compiler/compile.ts';
import { reportUnreadBootstrap } from '../config/unread-bootstrap.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { readKeySetFiles } from '../live/key-sets/files.ts';
import { createKeySetGatherer } from '../live/key-sets/gather.ts';
import type { KeySetOption } from '../live/key-sets/key-set-option.ts';
import { readTemplates } from '../live/read-templates.ts';
import type { SourceFile } from '../source/document.ts';
import type { CliIo } from './io.ts';
import { type MeshOptions, readMesh, stepsOf } from './read-mesh.ts';

/** Options of what is compiled, beside those of what is read. */
export interface PipelineOptions extends MeshOptions {
  /** All when absent. */
  readonly workload?: readonly { readonly namespace: string; readonly name: string }[];
  readonly templateFile?: string;
  readonly jwks?: readonly KeySetOption[];
  /** Files when absent. */
  readonly delivery?: CompilerOptions['delivery'];
}

export interface Compiled {
  /** Undefined when the bag holds an error. */
  readonly compilation: Compilation | undefined;
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
): Promise<Compiled> {
  const { templateFile, jwks = [], workload: select = 'all', delivery } = options;
  const { inputs, settings, sources } = await readMesh(paths, options, io, bag);
  reportUnreadBootstrap(settings, sources, { isCustom: false, isTemplate: templateFile !== undefined }, bag);
  const templates = templateFile === undefined ? undefined : await readTemplates(templateFile, bag);
  const keySets = createKeySetGatherer(await readKeySetFiles(jwks));
  const files = [...inputs, ...sources, ...(templates?.files ?? [])];
  const onStep = stepsOf(io, options);
  const compiler = createCompiler({
    settings,
    onStep,
    delivery,
    ...(templates?.value && { templates: templates.value }),
  });
  // With errors so far the compiler still looks at every object, so that all mistakes are told in one run.
  const objects = compiler.read(inputs, bag);
  const keys = await keySets.gather(objects, bag);
  const compilation =
    bag.hasErrors || inputs.length === 0 ? undefined : compiler.compileObjects(objects, select, bag, keys);
  return { compilation: bag.hasErrors ? undefined : compilation, inputs, sources: files };
}
