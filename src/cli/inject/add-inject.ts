import type { Command } from 'commander';
import type { CliIo } from '../io.ts';
import { collectPath, parsePath, revisionName } from '../options.ts';
import type { Finish } from '../program.ts';
import type { InjectOptions } from './inject-command.ts';
import { parseTemplateOption } from './template-option.ts';

/** Adds `inject`, which writes manifests with proxies. */
export function addInject(program: Command, io: CliIo, finish: Finish): void {
  program
    .command('inject')
    .description('add the proxy to pods and pod templates, as the webhook of meshd does')
    .argument('[PATHS...]', 'files, folders (recursive), or - for standard input', collectPath)
    .option('-f, --filename <path>', 'file or folder, the same as an argument; may be repeated', collectPath)
    .option('--uninject', 'remove what was injected, and print the original objects')
    .option('--meshConfig <file>', 'mesh configuration (default: none)', parsePath)
    .option(
      '--revision <name>',
      'revision of the control plane that the pods are injected for',
      revisionName,
      'default',
    )
    .option(
      '--injectionTemplate <name=file>',
      'template that pods name by the annotation inject.mesh.io/templates; may be repeated',
      parseTemplateOption,
    )
    .option('--quiet', 'print no warnings, and nothing of pods that are skipped')
    .action(async (paths: string[], options: InjectOptions) => {
      const { runInject } = await import('./inject-command.ts');
      finish(await runInject(paths, options, io));
    });
}
