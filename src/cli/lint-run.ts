import { DiagnosticBag } from '../diagnostics/bag.ts';
import { configure } from '../lint/configure.ts';
import type { Finding } from '../lint/finding.ts';
import { type LintResult, lint } from '../lint/lint.ts';
import type { Rule } from '../lint/rule.ts';
import { allRules } from '../lint/rule-index.ts';
import type { SourceFile } from '../source/document.ts';
import { analyseInputs } from './analyse-inputs.ts';
import type { CliIo } from './io.ts';
import type { LintProject } from './project-file.ts';
import type { MeshOptions } from './read-mesh.ts';

/** One look at the inputs. */
export interface LintRun {
  readonly result: LintResult;
  /** Inputs and configuration: what findings point into. */
  readonly files: readonly SourceFile[];
  readonly isEmpty: boolean;
  /** The input has errors, so that no rule ran. */
  readonly isFaulty: boolean;
}

export interface LintRunOptions extends MeshOptions {
  readonly rules: readonly Rule[];
  readonly project: LintProject;
}

/** Reads the inputs and runs the rules; with errors in the input these are the findings. */
export async function lintInputs(
  paths: readonly string[],
  { rules, project, ...options }: LintRunOptions,
  io: CliIo,
): Promise<LintRun> {
  const bag = new DiagnosticBag();
  const { snapshot, files, isEmpty } = await analyseInputs(paths, options, io, bag);
  if (snapshot === undefined)
    return { result: { findings: bag.all, suppressed: 0, notChecked: [] }, files, isEmpty, isFaulty: true };
  const { findings, ...rest } = lint(snapshot, { rules, files, today: today() });
  // What reading said before there was a snapshot: of settings and files.
  const own = new Set<Finding>(snapshot.diagnostics);
  const before = rules === allRules ? bag.all.filter((finding) => !own.has(finding)) : [];
  return {
    result: { ...rest, findings: configure([...before, ...findings], project.config, project.pathOf) },
    files,
    isEmpty,
    isFaulty: false,
  };
}

/** Suppressions expire by days of UTC, so that all machines agree. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}
