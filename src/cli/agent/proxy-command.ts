import type { Command } from 'commander';
import { UsageError } from '../../lib/usage-error.ts';
import { askEnvoyEarly } from './asked-envoy.ts';
import type { FlagValue } from './effective-settings.ts';
import { addLoggingFlags } from './flags.ts';
import type { ProgramContext } from './program-context.ts';
import { addProxyFlags } from './proxy-flags.ts';
import { givenOptions } from './values.ts';

/** What decides whether `proxy` runs or prints. */
interface ProxyOptions {
  readonly printConfig?: boolean;
  readonly output?: 'yaml' | 'json';
  readonly proxyBinary?: string;
  readonly policies?: readonly string[];
}

/** Adds `proxy [role]`, which runs Envoy, or with `--print-config` only says how it would. */
export function addProxyCommand(program: Command, context: ProgramContext, finish: (code: number) => void): void {
  const proxy = program
    .command('proxy')
    .argument('[role]', 'sidecar (the default), or router for a gateway')
    .description('run Envoy with policies that are compiled here, or with the configuration from meshd')
    .showHelpAfterError('(pilot-agent proxy --help says more)')
    .allowExcessArguments(false);
  addLoggingFlags(addProxyFlags(proxy)).action(async (role: string | undefined, options: ProxyOptions) => {
    const given = { ...options, ...givenOptions(program) };
    if (options.printConfig) {
      context.signals.release();
      const { printConfig } = await import('./print-config.ts');
      finish(await printConfig(role, given, flagValues(proxy, program), context.environment));
      return;
    }
    if (options.output !== undefined)
      throw new UsageError('--output is the form of --print-config, which is not given');
    // A client of meshd has Envoy started sooner than that could answer.
    const early = options.policies && askEnvoyEarly(options.proxyBinary, context.environment);
    const { runProxy } = await import('./proxy.ts');
    finish(await runProxy(role ?? 'sidecar', given, context, early));
  });
}

/** Every flag with its value, and whether somebody gave it; but for those that say how to print. */
function flagValues(command: Command, program: Command): readonly FlagValue[] {
  return command.options
    .filter(({ long }) => long !== '--print-config' && long !== '--output')
    .map((option) => {
      const key = option.attributeName();
      const giver = [program, command].find((it) => it.getOptionValueSource(key) === 'cli');
      return { name: option.long ?? key, value: (giver ?? command).getOptionValue(key), isGiven: giver !== undefined };
    });
}
