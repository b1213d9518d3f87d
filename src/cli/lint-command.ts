import { DiagnosticBag } from '../diagnostics/bag.ts';
import { formatBlocks } from '../diagnostics/formats/text.ts';
import { placeDiagnostics } from '../diagnostics/placed.ts';
import type { Severity } from '../diagnostics/registry.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Finding } from '../lint/finding.ts';
import { formatLintSummary } from '../lint/formats/summary.ts';
import { type LintResult, lint } from '../lint/lint.ts';
import { analyseInputs, type InputOptions } from './analyse-inputs.ts';
import { type ExitCode, exitCode } from './exit-codes.ts';
import type { CliIo } from './io.ts';

/** Options of `meshpol lint`, as the command line spells them. */
export interface LintCommandOptions extends InputOptions {
  readonly filename?: readonly string[];
  readonly severity: Severity;
  readonly failOn: Severity;
  readonly maxDiagnostics: number;
  readonly quiet?: true;
}

const rank: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2 };

/** Findings on standard output, a summary on standard error; the exit code follows from the findings alone. */
export async function runLint(
  positional: readonly string[],
  options: LintCommandOptions,
  io: CliIo,
): Promise<ExitCode> {
  const paths = [...positional, ...(options.filename ?? [])];
  if (paths.length === 0) throw new UsageError('no inputs: name files or folders, or "-" for standard input');
  const bag = new DiagnosticBag();
  const { snapshot, files, isEmpty } = await analyseInputs(paths, options, io, bag);
  const result: LintResult =
    snapshot === undefined ? { findings: bag.all, notChecked: [] } : lintWith(snapshot, bag.all);
  const shown = result.findings.filter(({ severity }) => rank[severity] >= rank[options.severity]);
  await io.writeOut(formatBlocks(placeDiagnostics(shown, files), options.maxDiagnostics));
  if (!options.quiet) {
    await io.writeError(
      formatLintSummary(result, shown, { fileCount: files.length, isFaulty: snapshot === undefined }),
    );
  }
  if (isEmpty) return exitCode.usage;
  return result.findings.some(({ severity }) => rank[severity] >= rank[options.failOn]) ? exitCode.no : exitCode.done;
}

/** With what reading said before there was a snapshot: settings and files. */
function lintWith(snapshot: Parameters<typeof lint>[0], told: readonly Finding[]): LintResult {
  const { findings, notChecked } = lint(snapshot);
  const own = new Set<Finding>(snapshot.diagnostics);
  return { findings: [...told.filter((finding) => !own.has(finding)), ...findings], notChecked };
}
