import { readSettings } from '../config/read.ts';
import type { Settings } from '../config/settings.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { OnStep } from '../lib/on-step.ts';
import type { SourceFile } from '../source/document.ts';
import { type ReadThrough, readSources } from '../source/read.ts';
import type { SourceDisk } from '../source/source-disk.ts';
import { whilePrompt } from '../source/while-prompt.ts';
import type { CliIo } from './io.ts';

/** Options of every command that reads a mesh, as the command line spells them. */
export interface MeshOptions {
  readonly exclude?: readonly string[];
  readonly meshConfig?: string;
  readonly trustDomain?: string;
  readonly rootNamespace?: string;
  readonly maxFileSize?: number;
  /** Shows no progress. */
  readonly quiet?: true;
}

/** The texts of a mesh, and the settings that they are read with. */
export interface ReadMesh {
  readonly inputs: readonly SourceFile[];
  readonly settings: Settings;
  /** Texts of settings, for diagnostics that point into them. */
  readonly sources: readonly SourceFile[];
}

/** Another disk than this machine's that inputs are read from, and what stands before the paths of its files in messages. */
export interface InputDisk {
  readonly disk: SourceDisk;
  readonly label: string;
}

/** Reads the inputs, then mesh configuration and variables; mistakes go to the bag. */
export async function readMesh(
  paths: readonly string[],
  options: MeshOptions,
  io: CliIo,
  bag: DiagnosticBag,
  from?: InputDisk,
): Promise<ReadMesh> {
  const { exclude = [], meshConfig, trustDomain, rootNamespace, maxFileSize } = options;
  const through = counting(whilePrompt(), stepsOf(io, options));
  const reading = { stdin: io.stdin, maxFileBytes: maxFileSize, exclude, through };
  const read = await readSources(paths, bag, { ...reading, disk: from?.disk });
  const inputs = from === undefined ? read : read.map((file) => ({ ...file, path: `${from.label}:${file.path}` }));
  const configuration = meshConfig === undefined ? undefined : { path: meshConfig, isRequired: true };
  const flags = { trustDomain, rootNamespace };
  const { settings, sources } = await readSettings(
    { meshConfig: configuration, environment: io.environment, flags },
    bag,
  );
  return { inputs, settings, sources };
}

/** What is told of progress; nothing with `--quiet`. */
export function stepsOf({ onStep }: CliIo, { quiet }: Pick<MeshOptions, 'quiet'>): OnStep | undefined {
  return quiet ? undefined : onStep;
}

function counting(through: ReadThrough, onStep: OnStep | undefined): ReadThrough {
  let done = 0;
  if (onStep === undefined) return through;
  return async (path, read) => {
    const files = await through(path, read);
    onStep('reading file', ++done);
    return files;
  };
}
