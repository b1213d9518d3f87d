import { Command, CommanderError } from 'commander';
import { nearest } from '../../lib/nearest.ts';
import { addLoggingFlags, foldBooleans } from '../agent/flags.ts';
import type { ProgramContext } from '../agent/pilot-agent.ts';
import { exitCode } from '../exit-codes.ts';
import { explainFailure, UsageError } from '../failure.ts';
import { addServeFlags } from './flags.ts';

/** Runs one command line of `meshd` and gives its exit code. */
export async function runMeshd(argv: readonly string[], context: ProgramContext): Promise<number> {
  let code: number = exitCode.done;
  const program = createProgram(context, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(foldBooleans(argv), { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed its own message, with the nearest name.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
    const failure = explainFailure(error, 'meshd');
    process.stderr.write(failure.text);
    return failure.code;
  }
}

function createProgram(context: ProgramContext, finish: (code: number) => void): Command {
  const program = new Command('meshd')
    .description('The control plane of the mesh: signs the certificates of workloads.')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'meshd: ')) })
    .showHelpAfterError('(meshd --help says more)')
    .allowExcessArguments()
    .action(() => {
      const [name] = program.args;
      if (name === undefined) program.outputHelp();
      else throw new UsageError(unknownCommand(name, program));
    });
  const serve = program
    .command('serve')
    .description('serve until told to stop')
    .showHelpAfterError('(meshd serve --help says more)')
    .allowExcessArguments(false);
  addLoggingFlags(addServeFlags(serve)).action(async (options: object) => {
    const { runServe } = await import('./serve.ts');
    finish(await runServe(options, context));
  });
  program
    .command('version')
    .description('print build information')
    .allowExcessArguments(false)
    .option('-o, --output <form>', 'yaml or json')
    .option('-s, --short', 'only the version')
    .action(async (options: { readonly output?: string; readonly short?: boolean }) => {
      context.signals.release();
      const { formatVersion } = await import('../agent/version.ts');
      process.stdout.write(formatVersion(options));
    });
  return program;
}

function unknownCommand(name: string, program: Command): string {
  const guess = nearest(
    name,
    program.commands.map((command) => command.name()),
  );
  return `unknown command "${name}"${guess === undefined ? '' : `, did you mean "${guess}"?`}`;
}
