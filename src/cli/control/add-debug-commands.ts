import type { Command } from 'commander';
import { WorldFailure } from '../../lib/failure.ts';
import type { ProgramContext } from '../agent/program-context.ts';
import { collectPath } from '../options.ts';
import type { Finish } from '../program.ts';
import type { DebugIo, DebugOptions } from './debug-commands.ts';
import { defaultDebugSocket } from './flags.ts';

/** Adds the commands that ask a `meshd serve` on the same machine: `status`, `proxies`, `why` and `forget`. */
export function addDebugCommands(program: Command, context: ProgramContext, finish: Finish): void {
  const ioOf = (): DebugIo => ({ write, stop: context.signals.stop });
  const optionsOf = (options: object): DebugOptions => ({ socket: [defaultDebugSocket], ...options });
  common(
    program.command('status').description('print whether meshd serves, to how many proxies, and errors of its inputs'),
  )
    .option('--watch', 'print the answer again whenever it changes, until SIGINT')
    .action(async (options: object) => {
      const { runStatus } = await import('./debug-commands.ts');
      finish(await runStatus(optionsOf(options), ioOf()));
    });
  common(
    program.command('proxies').description('list connected proxies, what they have acknowledged, and what they refuse'),
  )
    .option('--watch', 'print the answer again whenever it changes, until SIGINT')
    .action(async (options: object) => {
      const { runProxies } = await import('./debug-commands.ts');
      finish(await runProxies(optionsOf(options), ioOf()));
    });
  common(
    program
      .command('why')
      .description('print which fields of which objects decided the configuration of a proxy')
      .argument('<proxy>', 'the proxy: namespace/name of its workload')
      .argument('[resource]', 'name of a listener, route or cluster (default: all)'),
  )
    .option('--watch', 'print the answer again whenever it changes, until SIGINT')
    .action(async (proxy: string, resource: string | undefined, options: object) => {
      const { runWhy } = await import('./debug-commands.ts');
      finish(await runWhy(proxy, resource, optionsOf(options), ioOf()));
    });
  common(
    program
      .command('forget')
      .description('remove objects that stay active although the CustomResourceDefinition of their kind was deleted')
      .argument('<kind>', 'kind of the objects, such as AuthorizationPolicy'),
  ).action(async (kind: string, options: object) => {
    const { runForget } = await import('./debug-commands.ts');
    finish(await runForget(kind, optionsOf(options), ioOf()));
  });
}

function common(command: Command): Command {
  return command
    .showHelpAfterError(`(meshd ${command.name()} --help says more)`)
    .allowExcessArguments(false)
    .option(
      '--socket <file>',
      `debug socket of meshd; may be repeated, one for each replica (default: ${defaultDebugSocket})`,
      collectPath,
    )
    .option('--json', 'print the answer as JSON');
}

function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (cause) => {
      if (!cause || (cause as NodeJS.ErrnoException).code === 'EPIPE') resolve();
      else reject(new WorldFailure('output-unwritable', 'cannot write to standard output', { cause }));
    });
  });
}
