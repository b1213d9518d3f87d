import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { Severity } from '../diagnostics/registry.ts';
import { UsageError } from '../lib/usage-error.ts';
import { version } from '../lib/version.ts';
import type { Finding } from '../lint/finding.ts';
import { formatLintSummary } from '../lint/formats/summary.ts';
import { type LintResult, lint } from '../lint/lint.ts';
import { reportOf } from '../lint/report.ts';
import type { Rule } from '../lint/rule.ts';
import { allRules } from '../lint/rule-index.ts';
import { selectRules } from '../lint/select-rules.ts';
import { analyseInputs } from './analyse-inputs.ts';
import { type ExitCode, exitCode } from './exit-codes.ts';
import type { CliIo } from './io.ts';
import { writeLintOutputs } from './lint-output.ts';
import type { LintCommandOptions } from './lint-settings.ts';

const rank: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2 };

/** Findings on standard output or in files, a summary on standard error; the exit code follows from the findings alone. */
export async function runLint(
  positional: readonly string[],
  options: LintCommandOptions,
  io: CliIo,
): Promise<ExitCode> {
  const paths = [...positional, ...(options.filename ?? [])];
  if (paths.length === 0) throw new UsageError('no inputs: name files or folders, or "-" for standard input');
  const rules = selectRules(options.rule, options.category);
  const bag = new DiagnosticBag();
  const { snapshot, files, isEmpty } = await analyseInputs(paths, options, io, bag);
  const result: LintResult =
    snapshot === undefined ? { findings: bag.all, notChecked: [] } : lintWith(snapshot, bag.all, rules);
  const findings = result.findings.filter(({ severity }) => rank[severity] >= rank[options.severity]);
  const report = reportOf({ ...result, findings }, files, { version, isFaulty: snapshot === undefined });
  await writeLintOutputs(report, options.output ?? [{ form: 'text' }], options.maxDiagnostics, io);
  if (!options.quiet) {
    const hidden = { count: result.findings.length - findings.length, why: 'below that severity not shown' };
    await io.writeError(formatLintSummary(report, [hidden]));
  }
  if (isEmpty) return exitCode.usage;
  return result.findings.some(({ severity }) => rank[severity] >= rank[options.failOn]) ? exitCode.no : exitCode.done;
}

/** With what reading said before there was a snapshot: settings and files. */
function lintWith(snapshot: Parameters<typeof lint>[0], told: readonly Finding[], rules: readonly Rule[]): LintResult {
  const { findings, notChecked } = lint(snapshot, { rules });
  const own = new Set<Finding>(snapshot.diagnostics);
  const before = rules === allRules ? told.filter((finding) => !own.has(finding)) : [];
  return { findings: [...before, ...findings], notChecked };
}
