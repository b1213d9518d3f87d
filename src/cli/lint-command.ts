import { inputNames } from '../completion/input-names.ts';
import type { Severity } from '../diagnostics/registry.ts';
import { UsageError } from '../lib/usage-error.ts';
import { version } from '../lib/version.ts';
import { formatLintSummary } from '../lint/formats/summary.ts';
import type { LintRun } from '../lint/lint-texts.ts';
import { reportOf } from '../lint/report.ts';
import { selectRules } from '../lint/select-rules.ts';
import { ruleNames } from './completion/rule-names.ts';
import { type ExitCode, exitCode } from './exit-codes.ts';
import type { CliIo } from './io.ts';
import { diffOf, fixedFiles, writeFixed } from './lint-fix.ts';
import { writeLintOutputs } from './lint-output.ts';
import { lintInputs } from './lint-run.ts';
import type { LintCommandOptions } from './lint-settings.ts';
import { type Narrowed, narrowReport } from './narrow-report.ts';
import { isOwnOutput, type OutputTarget, type ReadFile, refuseOverwriting } from './output-files.ts';
import { readLintProject } from './project-file.ts';

// Completion asks for names that only this script knows.
export { inputNames, ruleNames };

const rank: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2 };

/** Fixes may wait for others that they overlap with; more rounds than this would be fixes that undo each other. */
const mostRounds = 10;

/** Findings on standard output or in files, a summary on standard error; the exit code follows from the findings alone. */
export async function runLint(
  positional: readonly string[],
  options: LintCommandOptions,
  io: CliIo,
): Promise<ExitCode> {
  // Most of what reading and rules make is garbage at once: a large young part would be twice the memory for little time.
  io.keepHeapSmall?.();
  const paths = [...positional, ...(options.filename ?? [])];
  refuseContradictions(paths, options);
  const rules = selectRules(options.rule, options.category);
  const project = await readLintProject(options.config, paths[0] ?? '-');
  const { failOn = project.config.failOn ?? 'error' } = options;
  const configurations = [options.meshConfig, project.path].filter((path) => path !== undefined);
  const look = async (): Promise<LintRun> => {
    const found = await lintInputs(paths, { ...options, project, rules }, io);
    await refuseOverwriting(targetsOf(options), filesRead(found, configurations, options));
    return found;
  };
  const run = options.fix && !options.dryRun ? await fixed(look, options, io) : await look();
  if (options.dryRun) await io.writeOut(diffOf(fixedFiles(run.files, run.result.findings)));
  const whole = reportOf(run.result, run.files, { version, isFaulty: run.isFaulty });
  const narrowed = await narrowReport(whole, options, { files: run.files, first: paths[0] ?? '-', configurations });
  const hidden = [...narrowed.hidden, { count: run.result.suppressed, why: 'suppressed' }];
  const { severity = project.config.severity ?? 'warning' } = options;
  await tell({ report: narrowed.report, hidden }, { ...options, severity }, io);
  if (run.isEmpty) return exitCode.usage;
  const fails = narrowed.report.findings.some(({ placed }) => rank[placed.severity] >= rank[failOn]);
  return fails ? exitCode.no : exitCode.done;
}

function refuseContradictions(paths: readonly string[], options: LintCommandOptions): void {
  const { fix, dryRun, output, baseline, writeBaseline, changedSince } = options;
  if (paths.length === 0) throw new UsageError('no inputs: name files or folders, or "-" for standard input');
  if (dryRun && !fix) throw new UsageError('--dry-run goes with --fix');
  if (fix && !dryRun && paths.includes('-')) {
    throw new UsageError('--fix writes files, and standard input is none: use --fix --dry-run');
  }
  if (fix && (baseline ?? writeBaseline ?? changedSince) !== undefined) {
    throw new UsageError('--fix makes every fix: it goes with neither a baseline nor --changed-since');
  }
  if (baseline !== undefined && writeBaseline !== undefined) {
    throw new UsageError('--baseline and --write-baseline exclude each other');
  }
  if (dryRun && output?.some(({ file }) => file === undefined)) {
    throw new UsageError('--dry-run prints a diff: give the other output a file (-o FORM=FILE)');
  }
}

/** The files that a run writes beside the fixes. */
function targetsOf({ output = [], writeBaseline }: LintCommandOptions): readonly OutputTarget[] {
  const outputs = output.flatMap(({ form, file }) =>
    file === undefined ? [] : [{ option: `--output ${form}=`, file }],
  );
  return [...outputs, ...(writeBaseline === undefined ? [] : [{ option: '--write-baseline', file: writeBaseline }])];
}

/** The files that a run reads, but for those that an earlier run wrote. */
function filesRead(
  { files }: LintRun,
  configurations: readonly string[],
  { baseline }: LintCommandOptions,
): readonly ReadFile[] {
  return [
    ...files.filter(({ text }) => !isOwnOutput(text)).map(({ path }) => ({ path, what: `the input "${path}"` })),
    ...configurations.map((path) => ({ path, what: `the configuration "${path}"` })),
    ...(baseline === undefined ? [] : [{ path: baseline, what: 'the file of --baseline' }]),
  ];
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
  { report, hidden }: Narrowed,
  options: LintCommandOptions & { readonly severity: Severity },
  io: CliIo,
): Promise<void> {
  const findings = report.findings.filter(({ placed }) => rank[placed.severity] >= rank[options.severity]);
  const shown = { ...report, findings };
  const usual = options.dryRun ? [] : [{ form: 'text' as const }];
  await writeLintOutputs(shown, options.output ?? usual, options.maxDiagnostics, io);
  if (options.quiet) return;
  const below = { count: report.findings.length - findings.length, why: `below ${options.severity} not shown` };
  await io.writeError(formatLintSummary(shown, [below, ...hidden]));
}
