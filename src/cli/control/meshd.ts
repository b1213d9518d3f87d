import type { Command, OutputConfiguration } from 'commander';
import { addLoggingFlags, foldBooleans } from '../agent/flags.ts';
import type { ProgramContext } from '../agent/program-context.ts';
import { addCompletion } from '../completion/add-completion.ts';
import { addVersionCommand, answerWithoutCommand, createProgram, type Finish, runProgram } from '../program.ts';
import { addCrdsCommand } from './add-crds-command.ts';
import { addDebugCommands } from './add-debug-commands.ts';
import { addManifestCommand } from './add-manifest-command.ts';
import { addServeFlags } from './flags.ts';

/** Runs one command line of `meshd` and gives its exit code. */
export function runMeshd(argv: readonly string[], context: ProgramContext): Promise<number> {
  return runProgram('meshd', (finish, output) =>
    createMeshd(context, finish, output).parseAsync(foldBooleans(argv), { from: 'user' }),
  );
}

/** The commands of `meshd`. */
export function createMeshd(context: ProgramContext, finish: Finish, output: OutputConfiguration = {}): Command {
  const program = createProgram(
    'meshd',
    'The control plane of the mesh: a certificate authority for the identities of workloads, and configuration for proxies.',
    output,
  );
  answerWithoutCommand(program);
  const serve = program
    .command('serve')
    .description('run the control plane until SIGTERM or SIGINT')
    .showHelpAfterError('(meshd serve --help says more)')
    .allowExcessArguments(false);
  addLoggingFlags(addServeFlags(serve)).action(async (options: object) => {
    const { runServe } = await import('./serve.ts');
    finish(await runServe(options, context));
  });
  addDebugCommands(program, context, finish);
  addCrdsCommand(program, context, finish);
  addManifestCommand(program, context, finish);
  addVersionCommand(program, () => context.signals.release());
  const values = async () => (await import('../completion/meshd-values.ts')).meshdValues;
  addCompletion(program, { values, begin: () => context.signals.release(), finish });
  return program;
}
