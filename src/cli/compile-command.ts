import { realpath, stat } from 'node:fs/promises';
import type { Compilation } from '../compiler/compilation.ts';
import { reportNoProxy } from '../compiler/no-proxy.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { type DiagnosticsForm, format } from '../diagnostics/format.ts';
import type { OnStep } from '../lib/on-step.ts';
import { UsageError } from '../lib/usage-error.ts';
import { checkFiles } from '../output/check.ts';
import type { OutputFormat } from '../output/format.ts';
import { type OutputFile, oneDocument, type PlanOptions, planFiles, proxyFolder } from '../output/plan.ts';
import { servedVersions } from '../output/served-versions.ts';
import { writeFiles } from '../output/write.ts';
import { type ExitCode, exitCode } from './exit-codes.ts';
import type { CliIo } from './io.ts';
import { type Compiled, compileInputs, type PipelineOptions } from './pipeline.ts';
import { stepsOf } from './read-mesh.ts';

/** Options of `meshpol compile`, as the command line spells them. */
export interface CompileOptions extends PipelineOptions {
  readonly filename?: readonly string[];
  readonly output?: string;
  readonly check?: string;
  readonly all?: true;
  readonly format: OutputFormat;
  readonly annotate?: true;
  readonly force?: true;
  readonly maxDiagnostics: number;
  readonly diagnostics: DiagnosticsForm;
  readonly quiet?: true;
}

/** Reads, compiles, and writes, compares or prints. Nothing is written when there is an error. */
export async function runCompile(positional: readonly string[], options: CompileOptions, io: CliIo): Promise<ExitCode> {
  const paths = [...positional, ...(options.filename ?? [])];
  refuseContradictions(paths, options);
  await refuseInputAsOutput(paths, options.output);
  const bag = new DiagnosticBag();
  const compiled = await compileInputs(paths, options, io, bag);
  // Going on would empty the output folder: an upstream command that found nothing is the likelier reason.
  if (compiled.compilation !== undefined) reportNoProxy(compiled.compilation, bag);
  const shown = options.quiet ? bag.all.filter(({ severity }) => severity === 'error') : bag.all;
  await io.writeError(format(shown, compiled.sources, options.diagnostics, options));
  if (compiled.compilation === undefined || bag.hasErrors) return exitCode.no;
  return deliver(compiled.compilation, compiled.inputs, options, io);
}

function refuseContradictions(paths: readonly string[], options: CompileOptions): void {
  if (paths.length === 0) throw new UsageError('no inputs: name files or folders, or "-" for standard input');
  if (options.all && options.workload) throw new UsageError('--all and --workload exclude each other');
  if (options.output !== undefined && options.check !== undefined) {
    throw new UsageError('--output and --check exclude each other');
  }
  if (options.delivery === 'ads') refuseFilesOfAds(options);
}

/** What is served by name has no files, and its resources are not printed. */
function refuseFilesOfAds({ output, check, annotate }: CompileOptions): void {
  const flags = { '--output': output, '--check': check, '--annotate': annotate };
  const given = Object.entries(flags).find(([, value]) => value !== undefined)?.[0];
  if (given === undefined) return;
  throw new UsageError(`${given} concerns files: leave it out with --delivery ads, which prints names and versions`);
}

/** Output among the inputs would be read by the next run, and a run on the folder above would leave out both. */
async function refuseInputAsOutput(paths: readonly string[], output: string | undefined): Promise<void> {
  if (output === undefined) return;
  const real = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined);
  const folder = await real(output);
  if (folder === undefined) return;
  for (const path of paths) {
    if (path === '-' || (await real(path)) !== folder || !(await stat(folder)).isDirectory()) continue;
    throw new UsageError(`--output "${output}" is the input folder "${path}": name another folder for the output`);
  }
}

function deliver(
  compilation: Compilation,
  inputs: Compiled['inputs'],
  options: CompileOptions,
  io: CliIo,
): Promise<ExitCode> {
  if (options.delivery === 'ads') return printVersions(compilation, options, io);
  const plan = { files: inputs, isAnnotated: options.annotate === true, format: options.format };
  const files = planFiles(compilation, plan);
  const isOurs = isOursOf(options);
  if (options.output !== undefined) return write(options.output, files, isOurs, options, io);
  if (options.check !== undefined) return check(options.check, files, isOurs, options, io);
  return print(compilation, plan, io);
}

async function write(
  folder: string,
  files: Iterable<OutputFile>,
  isOurs: (path: string) => boolean,
  options: CompileOptions,
  io: CliIo,
): Promise<ExitCode> {
  const { written, unchanged, removed } = await io.untilStopped((stop) =>
    writeFiles(folder, counted(files, stepsOf(io, options)), { isOurs, stop, force: options.force === true }),
  );
  // A program that reads diagnostics as JSON finds one value on standard error, and nothing behind it.
  const isSilent = options.quiet || options.diagnostics === 'json';
  // Nothing takes progress away too.
  await io.writeError(isSilent ? '' : `${folder}: ${written} written, ${unchanged} unchanged, ${removed} removed\n`);
  return exitCode.done;
}

function* counted(files: Iterable<OutputFile>, onStep: OnStep | undefined): Iterable<OutputFile> {
  let done = 0;
  for (const file of files) {
    onStep?.('writing file', ++done);
    yield file;
  }
}

async function check(
  folder: string,
  files: Iterable<OutputFile>,
  isOurs: (path: string) => boolean,
  options: CompileOptions,
  io: CliIo,
): Promise<ExitCode> {
  const { isSame, text } = await checkFiles(folder, files, { isOurs, withoutOrigins: options.quiet === true });
  await io.writeOut(text);
  return isSame ? exitCode.done : exitCode.no;
}

async function printVersions({ configs }: Compilation, { format }: CompileOptions, io: CliIo): Promise<ExitCode> {
  for (const text of servedVersions(configs, format)) await io.writeOut(text);
  return exitCode.done;
}

/** One workload as one document. */
async function print(compilation: Compilation, plan: PlanOptions, io: CliIo): Promise<ExitCode> {
  const [config, ...others] = compilation.configs;
  if (config === undefined || others.length > 0) throw new UsageError(tooMany(compilation));
  await io.writeOut(oneDocument(compilation, config, plan));
  return exitCode.done;
}

function tooMany({ configs }: Compilation): string {
  const names = configs.slice(0, 5).map(({ namespace, workload }) => `${namespace}/${workload}`);
  const rest = configs.length > 5 ? ', …' : '';
  return `${configs.length} workloads have a proxy: name one with --workload (${names.join(', ')}${rest}), or write all with --output DIR`;
}

/** A run for named workloads answers for their folders only. */
function isOursOf({ workload }: CompileOptions): (path: string) => boolean {
  if (workload === undefined) return () => true;
  const folders = workload.map(({ namespace, name }) => `${proxyFolder({ namespace, workload: name })}/`);
  return (path) => folders.some((folder) => path.startsWith(folder));
}
