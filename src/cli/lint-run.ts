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
  /** The input has errors, so that only rules ran that need nothing else of it. */
  readonly isFaulty: boolean;
}

export interface LintRunOptions extends MeshOptions {
  readonly rules: readonly Rule[];
  readonly project: LintProject;
}

/** Reads the inputs and runs the rules; errors of the input are findings too. */
export async function lintInputs(
  paths: readonly string[],
  { rules, project, ...options }: LintRunOptions,
  io: CliIo,
): Promise<LintRun> {
  const bag = new DiagnosticBag();
  const { snapshot, sound, files, isEmpty } = await analyseInputs(paths, options, io, bag);
  const severed = (findings: readonly Finding[]) => configure(findings, project.config, project.pathOf);
  if (snapshot === undefined) {
    const own = sound && lint(sound, { rules: rules.filter(isOfOneself), files, today: today() });
    const findings = [...bag.all, ...severed(own?.findings ?? [])];
    return { result: { findings, suppressed: own?.suppressed ?? 0, notChecked: [] }, files, isEmpty, isFaulty: true };
  }
  const { findings, ...rest } = lint(snapshot, { rules, files, today: today() });
  // What reading said before there was a snapshot: of settings and files.
  const own = new Set<Finding>(snapshot.diagnostics);
  const before = rules === allRules ? bag.all.filter((finding) => !own.has(finding)) : [];
  return {
    result: { ...rest, findings: severed([...before, ...findings]) },
    files,
    isEmpty,
    isFaulty: false,
  };
}

/** What a rule is certain of by a policy's own text stays true, whatever an input with errors lacks. */
function isOfOneself({ needs, confidence, kinds }: Rule): boolean {
  return needs === 'policies' && confidence === 'certain' && kinds.length > 0;
}

/** Suppressions expire by days of UTC, so that all machines agree. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}
