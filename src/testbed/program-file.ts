import { repository } from './sandbox.ts';

/** Programs of ours that meshes run. */
export type OwnProgram = 'pilot-agent' | 'meshd';

/** Variables that name another build of this repository, as a path in it; `make old-and-new` sets one of them. */
const buildVariables = { 'pilot-agent': 'TESTBED_PILOT_AGENT', meshd: 'TESTBED_MESHD' } as const;

/** The file of a program, as the sandbox sees it: of this build, unless its variable names another one. */
export function programFile(program: OwnProgram): string {
  return `${repository}/${process.env[buildVariables[program]] || 'dist'}/${program}.js`;
}
