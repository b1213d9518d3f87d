import { type Command, Option } from 'commander';
import type { CliIo } from '../io.ts';
import { collectPath, filledText } from '../options.ts';
import type { Finish } from '../program.ts';
import { parseWorkloadName } from './explain-options.ts';
import { addAssume, addInputs, addMeshSettings } from './mesh-options.ts';
import type { ReplayOptions } from './replay-command.ts';

/** The command `replay` of `meshpol`. */
export function addReplay(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('replay')
    .description('compare what logged requests would get under changed policies with what they got');
  addInputs(command)
    .requiredOption('--log <file>', 'access log, plain or gzip, or - for standard input; may be repeated', collectPath)
    .option('--old <path>', 'file or folder of the inputs before the change; may be repeated', collectPath)
    .option('--changed-since <revision>', 'the inputs before the change are those of this revision of git', filledText)
    .option(
      '--proxy <workload>',
      'namespace/name of the workload whose proxy wrote the log (default: found by the addresses of each line)',
      parseWorkloadName,
    )
    .addOption(
      new Option(
        '--fail-on <verdict>',
        'exit with 1 if a line is changed; may-change: also if a line may change, or could not be compared',
      ).choices(['changed', 'may-change']),
    )
    .option('-v, --verbose', 'print a line for each line of the log that is not the same (form text)')
    .addOption(
      new Option('--format <form>', 'format of the summary').choices(['text', 'json', 'markdown']).default('text'),
    );
  addMeshSettings(addAssume(command)).action(async (paths: string[], options: ReplayOptions) => {
    const { runReplay } = await import('./replay-command.ts');
    finish(await runReplay(paths, options, io));
  });
}
