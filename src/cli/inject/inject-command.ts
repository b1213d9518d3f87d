import { readMeshConfig } from '../../config/read.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { type ChangedTexts, changeTexts } from '../../injection/change-texts.ts';
import type { InjectionSettings } from '../../injection/settings.ts';
import { readInjectionSettings } from '../../injection/settings.ts';
import type { NamedTemplate } from '../../injection/templates.ts';
import { readNamedText } from '../../lib/read-file.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { SourceFile } from '../../source/document.ts';
import { readSources } from '../../source/read.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import type { TemplateOption } from './template-option.ts';

/** Options of `meshpol inject`, as the command line spells them. */
export interface InjectOptions {
  readonly filename?: readonly string[];
  readonly meshConfig?: string;
  readonly revision: string;
  readonly injectionTemplate?: readonly TemplateOption[];
  readonly uninject?: true;
  readonly quiet?: true;
}

/** Writes the inputs with proxies, or without; nothing where one of them is faulty or refused. */
export async function runInject(positional: readonly string[], options: InjectOptions, io: CliIo): Promise<ExitCode> {
  const paths = [...positional, ...(options.filename ?? [])];
  if (paths.length === 0) throw new UsageError('no inputs: name files or folders, or "-" for standard input');
  const bag = new DiagnosticBag();
  const inputs = await readSources(paths, bag, { stdin: io.stdin });
  const meshConfig =
    options.meshConfig === undefined ? undefined : await readMeshConfig({ path: options.meshConfig, isRequired: true });
  const settings = options.uninject ? undefined : await settingsOf(options, meshConfig, io, bag);
  const isReady = options.uninject || settings !== undefined;
  const changed: ChangedTexts = isReady ? changeTexts(inputs, settings, bag) : { texts: [], notes: [] };
  const files = [...inputs, ...(meshConfig === undefined ? [] : [meshConfig])];
  const told = options.quiet ? bag.all.filter(({ severity }) => severity === 'error') : bag.all;
  if (told.length > 0) await io.writeError(format(told, files, 'text'));
  if (bag.hasErrors) return exitCode.no;
  if (!options.quiet) await io.writeError(changed.notes.map((note) => `meshpol: ${note}\n`).join(''));
  await io.writeOut(changed.texts.join(''));
  return exitCode.done;
}

async function settingsOf(
  { revision, injectionTemplate = [] }: InjectOptions,
  meshConfig: SourceFile | undefined,
  { environment }: CliIo,
  bag: DiagnosticBag,
): Promise<InjectionSettings | undefined> {
  const templates: NamedTemplate[] = [];
  for (const { name, path } of injectionTemplate) templates.push({ name, file: { path, text: await read(path) } });
  const trustDomain = environment.TRUST_DOMAIN || undefined;
  return readInjectionSettings({ meshConfig, revision, ownNamespace: 'mesh-system', templates, trustDomain }, bag);
}

async function read(path: string): Promise<string> {
  try {
    return await readNamedText(path, 'utf8');
  } catch (cause) {
    throw new Error(`cannot read the template "${path}"`, { cause });
  }
}
