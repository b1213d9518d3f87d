import type { Command, OutputConfiguration } from 'commander';
import { addCompletion } from '../completion/add-completion.ts';
import { addVersionCommand, answerWithoutCommand, createProgram, type Finish, runProgram } from '../program.ts';
import { addCallCommands } from './call-commands.ts';
import { addCleanFlags, addLoggingFlags, addRedirectFlags, foldBooleans } from './flags.ts';
import type { ProgramContext } from './program-context.ts';
import { addProxyCommand } from './proxy-command.ts';
import { givenOptions } from './values.ts';

/** Runs one command line of `pilot-agent` and gives its exit code. */
export function runPilotAgent(argv: readonly string[], context: ProgramContext): Promise<number> {
  return runProgram('pilot-agent', (finish, output) =>
    // The others cannot be meant then, and Envoy is started so much earlier.
    createPilotAgent(context, finish, output, argv[0] === 'proxy').parseAsync(foldBooleans(argv), { from: 'user' }),
  );
}

/** The commands of `pilot-agent`, or `proxy` alone. */
export function createPilotAgent(
  context: ProgramContext,
  finish: Finish,
  output: OutputConfiguration = {},
  isProxyAlone = false,
): Command {
  const program = createProgram(
    'pilot-agent',
    'Compiles policies, and runs and supervises Envoy, in a sidecar or gateway container.',
    output,
  );
  answerWithoutCommand(program);
  addLoggingFlags(program);
  addProxyCommand(program, context, finish);
  if (isProxyAlone) return program;
  addLoggingFlags(addVersionCommand(program, () => context.signals.release()));
  addRedirectCommands(program, context, finish);
  addCallCommands(program, context, finish);
  const values = async () => (await import('../completion/agent-values.ts')).agentValues;
  addLoggingFlags(addCompletion(program, { values, begin: () => context.signals.release(), finish }));
  return program;
}

function addRedirectCommands(program: Command, context: ProgramContext, finish: Finish): void {
  const setUp = program
    .command('istio-iptables')
    .description('redirect the traffic of this network namespace to the proxy')
    .showHelpAfterError('(pilot-agent istio-iptables --help says more)')
    .allowExcessArguments(false);
  addLoggingFlags(addRedirectFlags(setUp)).action(async (options: object) => {
    const { runSetUp } = await import('./istio-iptables.ts');
    finish(await runSetUp({ ...options, ...givenOptions(program) }, context));
  });
  const clean = program
    .command('istio-clean-iptables')
    .description('remove the redirection that istio-iptables made')
    .showHelpAfterError('(pilot-agent istio-clean-iptables --help says more)')
    .allowExcessArguments(false);
  addLoggingFlags(addCleanFlags(clean)).action(async (options: object) => {
    const { runCleanUp } = await import('./istio-clean-iptables.ts');
    finish(await runCleanUp({ ...options, ...givenOptions(program) }, context));
  });
}
