import { Command, CommanderError } from 'commander';
import { AgentError } from '../../agent/agent-error.ts';
import type { StopSignals } from '../../agent/signals.ts';
import { addLoggingFlags, addProxyFlags, foldBooleans } from './flags.ts';
import { UsageError } from './refuse.ts';

/** What the program runs in. */
export interface ProgramContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Taken before the program was loaded. */
  readonly signals: StopSignals;
}

/** Commands of the specification that come later; refused by name, whatever follows them. */
const laterCommands: Readonly<Record<string, string>> = {
  request: 'make a request to the admin interface of Envoy',
  wait: 'wait until the proxy is ready',
  'istio-iptables': 'set up port forwarding',
  'istio-clean-iptables': 'remove port forwarding',
};

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
    return explainFailure(error);
  }
}

function createProgram(context: ProgramContext, finish: (code: number) => void): Command {
  const program = new Command('pilot-agent')
    .description('Runs in the sidecar or gateway container and runs Envoy.')
    .exitOverride()
    .action(() => program.outputHelp());
  addLoggingFlags(program);
  const proxy = program.command('proxy [role]').description('compile policies and run Envoy with the result');
  addProxyFlags(addLoggingFlags(proxy)).action(async (role: string | undefined, options: object) => {
    const { runProxy } = await import('./proxy.ts');
    finish(await runProxy(role ?? 'sidecar', { ...options }, context));
  });
  const version = program.command('version').description('print build information');
  addLoggingFlags(version)
    .option('-o, --output <form>', 'yaml or json')
    .option('-s, --short', 'only the version')
    .action(async (options: { readonly output?: string; readonly short?: boolean }) => {
      context.signals.release();
      const { formatVersion } = await import('./version.ts');
      process.stdout.write(formatVersion(options));
    });
  for (const [name, description] of Object.entries(laterCommands)) {
    program
      .command(name)
      .description(`${description} (not supported yet)`)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw new UsageError(`not supported yet: ${name}`);
      });
  }
  return program;
}

/** One line and its causes on standard error; 2 for the command line, 3 for the world, 70 for a bug of ours. */
function explainFailure(error: unknown): number {
  // Commander has printed its own message, with the nearest name.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError) return print(`error: ${error.message}`, 2);
  if (isWorldFailure(error)) return print(`error: ${chain(error).join(': ')}`, 3);
  return print(`${(error as Error).stack}\nThis is a bug of pilot-agent, please report it.`, 70);
}

function isWorldFailure(error: unknown): error is Error {
  return error instanceof AgentError || (error instanceof Error && ('code' in error || error.cause !== undefined));
}

function chain(error: Error): string[] {
  return [error.message, ...(error.cause instanceof Error ? chain(error.cause) : [])];
}

function print(message: string, code: number): number {
  process.stderr.write(`${message}\n`);
  return code;
}
