import type { Severity } from '../diagnostics/registry.ts';
import type { NarrowOptions } from './narrow-report.ts';
import type { MeshOptions } from './read-mesh.ts';

/** For people, for programs, and for what code hosts and their jobs show. */
export const lintForms = [
  ...(['text', 'json', 'yaml', 'sarif', 'junit', 'github', 'gitlab', 'markdown', 'html'] as const),
];

export type LintForm = (typeof lintForms)[number];

/** One output of a run: a form, and the file that it goes to; standard output when there is none. */
export interface LintOutput {
  readonly form: LintForm;
  readonly file?: string;
}

/** Options of `meshpol lint`, as the command line spells them. */
export interface LintCommandOptions extends MeshOptions, NarrowOptions {
  readonly filename?: readonly string[];
  readonly rule?: readonly string[];
  readonly category?: readonly string[];
  readonly output?: readonly LintOutput[];
  readonly severity?: Severity;
  readonly failOn?: Severity;
  /** False for `--no-config`. */
  readonly config?: string | false;
  readonly maxDiagnostics: number;
  readonly fix?: true;
  readonly dryRun?: true;
  readonly quiet?: true;
}
