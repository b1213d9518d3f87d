import { type Command, Option } from 'commander';
import type { CliIo } from '../io.ts';
import type { Finish } from '../program.ts';
import type { DescribeOptions } from './describe-command.ts';
import { parseDescribed } from './explain-options.ts';
import { addAssume, addInputs, addMeshSettings } from './mesh-options.ts';

/** The command `describe` of `meshpol`. */
export function addDescribe(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('describe')
    .description('print what policies say about one workload, and who is let in')
    .argument('<WORKLOAD>', 'the workload: namespace/name', parseDescribed);
  addInputs(command).addOption(
    new Option('--format <form>', 'format of the description').choices(['text', 'json']).default('text'),
  );
  addMeshSettings(addAssume(command)).action(
    async (workload: ReturnType<typeof parseDescribed>, paths: string[] | undefined, options: DescribeOptions) => {
      const { runDescribe } = await import('./describe-command.ts');
      finish(await runDescribe(workload, paths ?? [], options, io));
    },
  );
}
