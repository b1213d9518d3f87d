import { DiagnosticBag } from '../diagnostics/bag.ts';
import { type LintRun, lintTexts, todayInUtc } from '../lint/lint-texts.ts';
import type { Rule } from '../lint/rule.ts';
import type { CliIo } from './io.ts';
import { programFilesBeside } from './program-files-beside.ts';
import type { LintProject } from './project-file.ts';
import { type MeshOptions, readMesh, stepsOf } from './read-mesh.ts';

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
  const mesh = await readMesh(paths, options, io, bag);
  const surroundings = await programFilesBeside(mesh.inputs);
  return lintTexts({ ...mesh, surroundings, rules, project, today: todayInUtc(), onStep: stepsOf(io, options) }, bag);
}
