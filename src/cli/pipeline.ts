import type { Compilation } from '../compiler/compilation.ts';
import { createCompiler } from '../compiler/compile.ts';
import { readSettings } from '../config/read.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { readKeySetFiles } from '../live/key-sets/files.ts';
import { createKeySetGatherer } from '../live/key-sets/gather.ts';
import type { KeySetOption } from '../live/key-sets/key-set-option.ts';
import { readTemplates } from '../live/read-templates.ts';
import type { SourceFile } from '../source/document.ts';
import { readSources } from '../source/read.ts';
import type { CliIo } from './io.ts';

export interface PipelineOptions {
  readonly paths: readonly string[];
  readonly exclude: readonly string[];
  readonly select: 'all' | readonly { readonly namespace: string; readonly name: string }[];
  readonly meshConfig: string | undefined;
  readonly templateFile: string | undefined;
  readonly trustDomain: string | undefined;
  readonly rootNamespace: string | undefined;
  readonly jwks: readonly KeySetOption[];
  readonly maxFileBytes: number | undefined;
}

export interface Compiled {
  /** Undefined when the bag holds an error. */
  readonly compilation: Compilation | undefined;
  readonly inputs: readonly SourceFile[];
  /** Inputs, configuration and templates: what diagnostics point into. */
  readonly sources: readonly SourceFile[];
}

/** From the command line to a compilation: everything that is read is read here. */
export async function compileInputs(options: PipelineOptions, io: CliIo, bag: DiagnosticBag): Promise<Compiled> {
  const { meshConfig, trustDomain, rootNamespace, maxFileBytes } = options;
  const inputs = await readSources(options.paths, bag, { stdin: io.stdin, maxFileBytes, exclude: options.exclude });
  const { settings, sources } = await readSettings(
    {
      meshConfig: meshConfig === undefined ? undefined : { path: meshConfig, isRequired: true },
      environment: io.environment,
      flags: { trustDomain, rootNamespace },
    },
    bag,
  );
  const templates = options.templateFile === undefined ? undefined : await readTemplates(options.templateFile, bag);
  const keySets = createKeySetGatherer(await readKeySetFiles(options.jwks));
  const files = [...inputs, ...sources, ...(templates?.files ?? [])];
  const compiler = createCompiler(
    templates?.value === undefined ? { settings } : { settings, templates: templates.value },
  );
  // With errors so far the compiler still looks at every object, so that all mistakes are told in one run.
  const objects = compiler.read(inputs, bag);
  const keys = await keySets.gather(objects, bag);
  const compilation =
    bag.hasErrors || inputs.length === 0 ? undefined : compiler.compileObjects(objects, options.select, bag, keys);
  return { compilation: bag.hasErrors ? undefined : compilation, inputs, sources: files };
}
