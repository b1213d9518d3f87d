import { type Command, Option, type OutputConfiguration } from 'commander';
import { version } from '../lib/version.ts';
import type { CompileOptions } from './compile-command.ts';
import type { CliIo } from './io.ts';
import { parseKeySetOption } from './key-sets/option.ts';
import {
  collect,
  collectPattern,
  parseCount,
  parseNamespace,
  parseSize,
  parseWorkload,
  rootDefault,
} from './options.ts';
import { createProgram, type Finish, runProgram } from './program.ts';

const examples = `
Examples:
  meshpol compile mesh/ -o out                      every workload of a folder, into out/<namespace>/<workload>/
  meshpol compile mesh/ --workload shop/cart        one workload, printed
  kubectl get pods,svc,peerauthentications,destinationrules -A -o yaml | meshpol compile - -o out
  meshpol compile mesh/ --check out                 what would change, as a diff
  meshpol schema PeerAuthentication                 JSON Schema for an editor

Exit codes: 0 done; 1 invalid input or a difference; 2 wrong usage; 3 a file or the system failed; 70 a bug.`;

/** Runs one command line (without node and script) and gives the exit code; commands are loaded when asked for. */
export async function runMeshpol(args: readonly string[], io: CliIo): Promise<number> {
  const printed: Promise<void>[] = [];
  const output: OutputConfiguration = {
    writeOut: (text) => printed.push(io.writeOut(text)),
    writeErr: (text) => printed.push(io.writeError(text)),
  };
  const parse = (finish: Finish) => createMeshpol(io, output, finish).parseAsync(args, { from: 'user' });
  const code = await runProgram('meshpol', parse, io.writeError);
  await Promise.all(printed);
  return code;
}

/** The commands of `meshpol`. */
export function createMeshpol(io: CliIo, output: OutputConfiguration, finish: Finish): Command {
  const program = createProgram(
    'meshpol',
    'Compiles service-mesh policies, offline, into the configuration of Envoy.',
    output,
  )
    .addHelpText('after', examples)
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show help for a command')
    .version(version, '-V, --version', 'print the version');
  addCompile(program, io, finish);
  program
    .command('schema')
    .description('print the JSON Schema of a kind, or the kinds that have one')
    .argument('[KIND]', 'PeerAuthentication, DestinationRule, …')
    .action(async (kind: string | undefined) =>
      finish(await (await import('./schema-command.ts')).runSchema(kind, io)),
    );
  program
    .command('version')
    .description('print the version')
    .action(() => io.writeOut(`meshpol ${version}\n`));
  return program;
}

function addCompile(program: Command, io: CliIo, finish: Finish): void {
  program
    .command('compile')
    .description('compile policies and topology into Envoy configuration')
    .argument('[PATHS...]', 'files, folders (recursive), or - for standard input')
    .option('-f, --filename <path>', 'the same as a path; may be repeated', collect)
    .option('--exclude <glob>', 'leave out these files, a pattern as in .gitignore; may be repeated', collectPattern)
    .option('-o, --output <dir>', 'write to this folder; without it one workload is printed')
    .option('--check <dir>', 'compare with this folder: prints a unified diff, exits 1 on a difference')
    .option('--workload <namespace/name>', 'this workload only; may be repeated', parseWorkload)
    .option('--all', 'every workload that has a proxy (the default)')
    .addOption(new Option('--format <form>', 'form of the output').choices(['json', 'yaml']).default('json'))
    .option('--annotate', 'record the source policy of each Envoy resource in metadata.filter_metadata["mesh.origin"]')
    .option('--force', 'write over files that this program did not write')
    .option('--meshConfig <file>', 'mesh configuration')
    .option('--templateFile <path>', 'bootstrap template, or a folder that replaces templates by name')
    .option('--trust-domain <domain>', 'domain used for identities')
    .option(
      '--root-namespace <name>',
      `namespace whose policies hold for the whole mesh ${rootDefault}`,
      parseNamespace,
    )
    .option(
      '--jwks <issuer=file>',
      'key set for the tokens of an issuer; may be repeated (without one, its tokens are all refused)',
      parseKeySetOption,
    )
    .option('--max-file-size <size>', 'largest input file (default: 16MiB)', parseSize)
    .option('--max-diagnostics <count>', 'diagnostics to print', parseCount, 50)
    .addOption(
      new Option('--diagnostics <form>', 'form of the diagnostics').choices(['text', 'json', 'github']).default('text'),
    )
    .option('--quiet', 'print errors only')
    .action(async (paths: string[], options: CompileOptions) => {
      const { runCompile } = await import('./compile-command.ts');
      finish(await runCompile(paths, options, io));
    });
}
