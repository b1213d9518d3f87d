import type { Settings } from '../config/settings.ts';
import { settingsOf } from '../config/settings-of.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { SourceFile } from '../source/document.ts';
import { reportEmpty } from '../source/empty-files.ts';
import type { AnalyseInput } from './input.ts';

/** What is known before the objects are read. */
export interface InputRead {
  readonly settings: Settings;
  /** Texts of settings, for diagnostics that point into them. */
  readonly sources: readonly SourceFile[];
  readonly bag: DiagnosticBag;
}

/** Reads settings. With errors in the bag, objects are to be read all the same, so that all mistakes are told at once. */
export function readInput({ files, meshConfig, variables = {}, trustDomain, rootNamespace }: AnalyseInput): InputRead {
  const bag = new DiagnosticBag();
  reportEmpty(files, bag);
  const flags = { trustDomain, rootNamespace };
  return { ...settingsOf({ meshConfig, environment: variables, flags }, bag), bag };
}
