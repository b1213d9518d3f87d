import type { Command } from 'commander';
import type { NodeWarnings } from '../../agent/life/node-warnings.ts';
import type { StopSignals } from '../../agent/life/signals.ts';
import { addVersionCommand, answerWithoutCommand, createProgram, type Finish, runProgram } from '../program.ts';
import { addCallCommands } from './call-commands.ts';
import { addCleanFlags, addLoggingFlags, addRedirectFlags, foldBooleans } from './flags.ts';
import { addProxyCommand } from './proxy-command.ts';
import { givenOptions } from './values.ts';

/** What the program runs in. */
export interface ProgramContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Taken before the program was loaded. */
  readonly signals: StopSignals;
  /** Of Node itself; a command that keeps a log tells them there. */
  readonly warnings?: NodeWarnings;
}

/** Runs one command line of `pilot-agent` and gives its exit code. */
export function runPilotAgent(argv: readonly string[], context: ProgramContext): Promise<number> {
  return runProgram('pilot-agent', (finish) =>
    createPilotAgent(context, finish).parseAsync(foldBooleans(argv), { from: 'user' }),
  );
}

function createPilotAgent(context: ProgramContext, finish: Finish): Command {
  const program = createProgram('pilot-agent', 'Runs in the sidecar or gateway container and runs Envoy.');
  answerWithoutCommand(program);
  addLoggingFlags(program);
  addProxyCommand(program, context, finish);
  addLoggingFlags(addVersionCommand(program, () => context.signals.release()));
  addRedirectCommands(program, context, finish);
  addCallCommands(program, context, finish);
  return program;
}

function addRedirectCommands(program: Command, context: ProgramContext, finish: Finish): void {
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
