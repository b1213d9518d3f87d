import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { Severity } from '../diagnostics/registry.ts';
import type { SpanSource } from '../diagnostics/span.ts';
import type { SourceFile } from '../source/document.ts';
import { readConfiguration } from './read-configuration.ts';

/** Severity by code of a rule or of a warning. */
export type RuleSeverities = Readonly<Record<string, Severity | 'off'>>;

/** What a project file says of `meshpol lint`. */
export interface LintConfig {
  readonly failOn?: Severity;
  readonly severity?: Severity;
  readonly rules?: RuleSeverities;
  /** Of several that hold for a file the last one wins. */
  readonly overrides?: readonly { readonly paths: readonly string[]; readonly rules: RuleSeverities }[];
}

/** A project file (`.meshpol.yaml`), and where its fields stand. */
export interface ProjectFile {
  readonly lint: LintConfig;
  readonly document: SpanSource | undefined;
}

/** Undefined for a faulty text, whose mistakes are in the bag then. */
export function parseProjectFile(file: SourceFile, bag: DiagnosticBag): ProjectFile | undefined {
  const told = bag.all.length;
  const document = readConfiguration(file, 'ProjectFile', bag);
  if (document === undefined) return bag.all.length > told ? undefined : { lint: {}, document };
  // The schema holds.
  return { lint: (document.value as { readonly lint?: LintConfig }).lint ?? {}, document };
}
