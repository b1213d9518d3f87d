import type { Severity } from '../diagnostics/registry.ts';
import { UsageError } from '../lib/usage-error.ts';
import { version } from '../lib/version.ts';
import { formatLintSummary } from '../lint/formats/summary.ts';
import { reportOf } from '../lint/report.ts';
import { selectRules } from '../lint/select-rules.ts';
import { type ExitCode, exitCode } from './exit-codes.ts';
import type { CliIo } from './io.ts';
import { diffOf, fixedFiles, writeFixed } from './lint-fix.ts';
import { writeLintOutputs } from './lint-output.ts';
import { type LintRun, lintInputs } from './lint-run.ts';
import type { LintCommandOptions } from './lint-settings.ts';
import { readLintProject } from './project-file.ts';

const rank: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2 };

/** Fixes may wait for others that they overlap with; more rounds than this would be fixes that undo each other. */
const mostRounds = 10;

/** Findings on standard output or in files, a summary on standard error; the exit code follows from the findings alone. */
export async function runLint(
  positional: readonly string[],
  options: LintCommandOptions,
  io: CliIo,
): Promise<ExitCode> {
  const paths = [...positional, ...(options.filename ?? [])];
  refuseContradictions(paths, options);
  const rules = selectRules(options.rule, options.category);
  const project = await readLintProject(options.config, paths[0] ?? '-');
  const { failOn = project.config.failOn ?? 'error' } = options;
  const look = (): Promise<LintRun> => lintInputs(paths, { ...options, project, rules }, io);
  const run = options.fix && !options.dryRun ? await fixed(look, options, io) : await look();
  if (options.dryRun) await io.writeOut(diffOf(fixedFiles(run.files, run.result.findings)));
  await tell(run, { ...options, severity: options.severity ?? project.config.severity ?? 'warning' }, io);
  if (run.isEmpty) return exitCode.usage;
  const fails = run.result.findings.some(({ severity }) => rank[severity] >= rank[failOn]);
  return fails ? exitCode.no : exitCode.done;
}

function refuseContradictions(paths: readonly string[], { fix, dryRun, output }: LintCommandOptions): void {
  if (paths.length === 0) throw new UsageError('no inputs: name files or folders, or "-" for standard input');
  if (dryRun && !fix) throw new UsageError('--dry-run goes with --fix');
  if (fix && !dryRun && paths.includes('-')) {
    throw new UsageError('--fix writes files, and standard input is none: use --fix --dry-run');
  }
  if (dryRun && output?.some(({ file }) => file === undefined)) {
    throw new UsageError('--dry-run prints a diff: give the other output a file (-o FORM=FILE)');
  }
}

/** Makes the fixes, and gives the look after the last of them. */
async function fixed(look: () => Promise<LintRun>, options: LintCommandOptions, io: CliIo): Promise<LintRun> {
  const changed = new Set<string>();
  let run = await look();
  for (let round = 0; round < mostRounds; round++) {
    const files = fixedFiles(run.files, run.result.findings);
    if (files.length === 0) break;
    await writeFixed(files);
    for (const { path } of files) changed.add(path);
    run = await look();
  }
  if (!options.quiet && changed.size > 0) {
    await io.writeError(`fixed: ${[...changed].join(', ')}\n`);
  }
  return run;
}

async function tell(
  run: LintRun,
  options: LintCommandOptions & { readonly severity: Severity },
  io: CliIo,
): Promise<void> {
  const { result, files, isFaulty } = run;
  const findings = result.findings.filter(({ severity }) => rank[severity] >= rank[options.severity]);
  const report = reportOf({ ...result, findings }, files, { version, isFaulty });
  const usual = options.dryRun ? [] : [{ form: 'text' as const }];
  await writeLintOutputs(report, options.output ?? usual, options.maxDiagnostics, io);
  if (options.quiet) return;
  const hidden = [
    { count: result.findings.length - findings.length, why: 'below that severity not shown' },
    { count: result.suppressed, why: 'suppressed' },
  ];
  await io.writeError(formatLintSummary(report, hidden));
}
