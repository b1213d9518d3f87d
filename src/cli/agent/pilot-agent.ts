import { Command, CommanderError, type Option } from 'commander';
import type { StopSignals } from '../../agent/life/signals.ts';
import { exitCode } from '../exit-codes.ts';
import { explainFailure, UsageError } from '../failure.ts';
import { addCallCommands } from './call-commands.ts';
import { addCleanFlags, addLoggingFlags, addRedirectFlags, foldBooleans } from './flags.ts';
import { addProxyCommand } from './proxy-command.ts';
import { didYouMean, givenOptions } from './values.ts';

/** What the program runs in. */
export interface ProgramContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Taken before the program was loaded. */
  readonly signals: StopSignals;
}

/** Runs one command line of `pilot-agent` and gives its exit code. */
export async function runPilotAgent(argv: readonly string[], context: ProgramContext): Promise<number> {
  let code = 0;
  const program = createProgram(context, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(foldBooleans(argv), { from: 'user' });
    return code;
  } catch (error) {
    return tell(error);
  }
}

function createProgram(context: ProgramContext, finish: (code: number) => void): Command {
  const program = new Command('pilot-agent')
    .description('Runs in the sidecar or gateway container and runs Envoy.')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'pilot-agent: ')) })
    .configureHelp({ optionDescription: describeOption })
    .showHelpAfterError('(pilot-agent --help says more)')
    .allowExcessArguments()
    .action(() => {
      const [name] = program.args;
      if (name === undefined) program.outputHelp();
      else throw new UsageError(unknownCommand(name, program));
    });
  addLoggingFlags(program);
  addProxyCommand(program, context, finish);
  const version = program.command('version').description('print build information').allowExcessArguments(false);
  version
    .option('-o, --output <form>', 'form: yaml or json (default: one line)')
    .option('-s, --short', 'only the version; --short=false prints everything (default: off)');
  addLoggingFlags(version).action(async (options: { readonly output?: string; readonly short?: boolean }) => {
    context.signals.release();
    const { formatVersion } = await import('./version.ts');
    process.stdout.write(formatVersion(options));
  });
  addRedirectCommands(program, context, finish);
  addCallCommands(program, context, finish);
  return program;
}

function addRedirectCommands(program: Command, context: ProgramContext, finish: (code: number) => void): void {
  const setUp = program
    .command('istio-iptables')
    .description('lead connections of this network namespace to the proxy')
    .showHelpAfterError('(pilot-agent istio-iptables --help says more)')
    .allowExcessArguments(false);
  addLoggingFlags(addRedirectFlags(setUp)).action(async (options: object) => {
    const { runSetUp } = await import('./istio-iptables.ts');
    finish(await runSetUp({ ...options, ...givenOptions(program) }, context));
  });
  const clean = program
    .command('istio-clean-iptables')
    .description('remove what istio-iptables has made')
    .showHelpAfterError('(pilot-agent istio-clean-iptables --help says more)')
    .allowExcessArguments(false);
  addLoggingFlags(addCleanFlags(clean)).action(async (options: object) => {
    const { runCleanUp } = await import('./istio-clean-iptables.ts');
    finish(await runCleanUp({ ...options, ...givenOptions(program) }, context));
  });
}

/** Defaults without quotes, and none where there is nothing to say or the description says it better. */
function describeOption({ description, defaultValue }: Option): string {
  if (defaultValue === undefined || defaultValue === '' || description.includes('(default: ')) return description;
  return `${description} (default: ${defaultValue})`;
}

function unknownCommand(name: string, program: Command): string {
  const names = program.commands.map((command) => command.name());
  return `unknown command "${name}"${didYouMean(name, names)}`;
}

/** Prints a failure on standard error: 2 for the command line, 3 for the world, 70 for a bug of ours. */
function tell(error: unknown): number {
  // Commander has printed its own message, with the nearest name.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
  const { text, code } = explainFailure(error, 'pilot-agent');
  process.stderr.write(text);
  return code;
}
