import { type Command, Option } from 'commander';
import type { ProgramContext } from '../agent/program-context.ts';
import type { Finish } from '../program.ts';
import type { CrdsOptions } from './crds-command.ts';

/** Adds `crds`, which prints what an API server must know of our kinds. */
export function addCrdsCommand(program: Command, context: ProgramContext, finish: Finish): void {
  program
    .command('crds')
    .description('print the CustomResourceDefinitions of the kinds of the mesh, for kubectl apply')
    .argument('[KIND...]', 'kinds, such as AuthorizationPolicy (default: all)')
    .showHelpAfterError('(meshd crds --help says more)')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .option(
      '--keep-unknown-fields',
      'let the API server store unknown fields instead of dropping them; meshd then refuses the object',
    )
    .action(async (kinds: readonly string[], options: CrdsOptions) => {
      context.signals.release();
      const { runCrds } = await import('./crds-command.ts');
      finish(await runCrds(kinds, options));
    });
}
