import { type Command, InvalidArgumentError } from 'commander';
import { version } from '../../lib/version.ts';
import type { ProgramContext } from '../agent/program-context.ts';
import { parsePath, revisionName } from '../options.ts';
import type { Finish } from '../program.ts';
import type { ManifestOptions } from './manifest-command.ts';

/** Adds `manifest`, which prints what installs `meshd` in a cluster. */
export function addManifestCommand(program: Command, context: ProgramContext, finish: Finish): void {
  program
    .command('manifest')
    .description(
      'print the objects that install meshd in a Kubernetes cluster, for kubectl apply, or write a Helm chart',
    )
    .showHelpAfterError('(meshd manifest --help says more)')
    .allowExcessArguments(false)
    .option('--namespace <name>', 'namespace of the control plane (default: mesh-system)', revisionName)
    .option('--revision <name>', 'name of the control plane, if several run in the namespace', revisionName, 'default')
    .option(
      '--image <image>',
      'container image with meshd (default: meshd with the version of this program as its tag)',
      image,
      `meshd:${version}`,
    )
    .option('--replicas <number>', 'replicas of meshd', replicas, 2)
    .option('--meshConfig <file>', 'mesh configuration (default: an access log on standard output)', parsePath)
    .option('--no-crds', 'leave out the CustomResourceDefinitions (meshd crds prints them)')
    .option('--no-namespace-object', 'leave out the Namespace, so that kubectl delete keeps it, and the CA in it')
    .option('--helm <folder>', 'write a Helm chart with these settings into this folder', parsePath)
    .action(async (options: ManifestOptions) => {
      context.signals.release();
      const { runManifest } = await import('./manifest-command.ts');
      finish(await runManifest(options));
    });
}

function image(text: string): string {
  if (!/^[A-Za-z0-9][\w.:/@-]{0,300}$/.test(text)) throw new InvalidArgumentError('the name of an image is expected');
  return text;
}

function replicas(text: string): number {
  const value = Number(text);
  if (!/^\d{1,3}$/.test(text) || value === 0) throw new InvalidArgumentError('a number from 1 to 999 is expected');
  return value;
}
