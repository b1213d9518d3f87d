import { readSettings } from '../config/read.ts';
import type { Settings } from '../config/settings.ts';
import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import { readSources } from '../source/read.ts';
import { whilePrompt } from '../source/while-prompt.ts';
import type { CliIo } from './io.ts';

/** Options of every command that reads a mesh, as the command line spells them. */
export interface MeshOptions {
  readonly exclude?: readonly string[];
  readonly meshConfig?: string;
  readonly trustDomain?: string;
  readonly rootNamespace?: string;
  readonly maxFileSize?: number;
}

/** The texts of a mesh, and the settings that they are read with. */
export interface ReadMesh {
  readonly inputs: readonly SourceFile[];
  readonly settings: Settings;
  /** Texts of settings, for diagnostics that point into them. */
  readonly sources: readonly SourceFile[];
}

/** Reads the inputs, then mesh configuration and variables; mistakes go to the bag. */
export async function readMesh(
  paths: readonly string[],
  { exclude = [], meshConfig, trustDomain, rootNamespace, maxFileSize }: MeshOptions,
  io: CliIo,
  bag: DiagnosticBag,
): Promise<ReadMesh> {
  const reading = { stdin: io.stdin, maxFileBytes: maxFileSize, exclude, through: whilePrompt() };
  const inputs = await readSources(paths, bag, reading);
  const configuration = meshConfig === undefined ? undefined : { path: meshConfig, isRequired: true };
  const flags = { trustDomain, rootNamespace };
  const read = await readSettings({ meshConfig: configuration, environment: io.environment, flags }, bag);
  return { inputs, settings: read.settings, sources: read.sources };
}
