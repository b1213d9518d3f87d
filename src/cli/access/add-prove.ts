import { type Command, Option } from 'commander';
import type { CliIo } from '../io.ts';
import { collectFilled, collectPath, collectPattern, filledText, parseCount, parsePath } from '../options.ts';
import type { Finish } from '../program.ts';
import { addAssume, addMeshSettings } from './mesh-options.ts';
import type { ProveOptions } from './prove-command.ts';

/** The command `prove` of `meshpol`. */
export function addProve(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('prove')
    .description('send requests to a real Envoy on this machine, and compare what it does with the predictions')
    .argument(
      '[PATHS...]',
      'files, and folders (recursive), with tests (kind: PolicyTest), whose requests are sent; with --cases, a mesh; default: this folder',
      collectPath,
    )
    .option('-f, --filename <path>', 'file or folder, the same as an argument; may be repeated', collectPath)
    .option('--exclude <glob>', 'files to leave out, a pattern as in .gitignore; may be repeated', collectPattern)
    .option('--cases <count>', 'send this number of generated requests to the mesh of the paths', parseCount)
    .option(
      '--seed <number>',
      'seed of the generated requests, to send those of an earlier run again (default: random)',
      parseCount,
    )
    .option('--filter <text>', 'send only cases whose name has this text', filledText)
    .option('--tag <word>', 'send only cases with this tag; may be repeated, all must match', collectFilled)
    .option(
      '--envoy <path>',
      'Envoy to run; twice: an old and a new one, whose answers are compared too (default: .tools/bin/envoy, else envoy in PATH) [ENVOY_BINARY]',
      collectFilled,
    )
    .option(
      '--write <folder>',
      'write the first case of each kind of difference into a folder below this one, with as few objects, fields and parts of the request as still show it',
      parsePath,
    )
    .addOption(new Option('--format <form>', 'format of the results').choices(['text', 'json']).default('text'));
  addMeshSettings(addAssume(command)).action(async (paths: string[], options: ProveOptions) => {
    const { runProve } = await import('./prove-command.ts');
    finish(await runProve(paths, options, io));
  });
}
