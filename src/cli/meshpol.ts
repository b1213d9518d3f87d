import { type Command, Option, type OutputConfiguration } from 'commander';
import { version } from '../lib/version.ts';
import { addDescribe } from './access/add-describe.ts';
import { addExplain } from './access/add-explain.ts';
import { addProve } from './access/add-prove.ts';
import { addReplay } from './access/add-replay.ts';
import { addTest } from './access/add-test.ts';
import type { CompileOptions } from './compile-command.ts';
import { addCompletion } from './completion/add-completion.ts';
import { addInject } from './inject/add-inject.ts';
import type { CliIo } from './io.ts';
import { parseKeySetOption } from './key-sets/option.ts';
import { addLint, addRules } from './lint-options.ts';
import {
  collectPath,
  collectPattern,
  parseCount,
  parseNamespace,
  parsePath,
  parseSize,
  parseTrustDomain,
  parseWorkload,
  rootDefault,
} from './options.ts';
import { createProgram, type Finish, runProgram } from './program.ts';
import type { SchemaOptions } from './schema-command.ts';

const examples = `
Examples:
  meshpol compile mesh/ -o out                      every workload with a proxy, into out/<namespace>/<workload>/
  meshpol compile mesh/ --workload shop/cart        one workload, to standard output
  kubectl get pods,svc,peerauthentications,destinationrules -A -o yaml | meshpol compile - -o out
  meshpol compile mesh/ --check out                 what would change, as a diff
  meshpol explain mesh/ --from shop/web --to cart   predict whether a request is delivered, and which policies decide
  meshpol describe shop/cart mesh/                  what policies say about one workload, and who is let in
  meshpol test policies/                            requests of test files, compared with their expected results
  meshpol prove policies/                           the same requests on a real Envoy, against the predictions
  meshpol replay --log access.log --old mesh/ new/  what logged requests would get under changed policies
  meshpol lint mesh/                                mistakes in policies that compile
  meshpol inject -f deployment.yaml | kubectl apply -f -   a workload with its proxy
  meshpol schema PeerAuthentication                 the JSON Schema of a kind, for an editor

Exit codes: 0 done; 1 invalid input, a finding, a failed test, or a difference (--check); 2 wrong usage; 3 environment error,
such as a file that can't be read; 70 a bug in this program.`;

/** Runs one command line (without node and script) and gives the exit code; commands are loaded when asked for. */
export async function runMeshpol(args: readonly string[], io: CliIo): Promise<number> {
  const parse = (finish: Finish, output: OutputConfiguration) =>
    createMeshpol(io, output, finish).parseAsync(args, { from: 'user' });
  return runProgram('meshpol', parse, io);
}

/** The commands of `meshpol`. */
export function createMeshpol(io: CliIo, output: OutputConfiguration, finish: Finish): Command {
  const program = createProgram('meshpol', 'Compiles service-mesh policies into Envoy configuration, offline.', output)
    .addHelpText('after', examples)
    .helpCommand('help [command]', 'show help for a command')
    .version(version, '-V, --version', 'print the version');
  addCompile(program, io, finish);
  addExplain(program, io, finish);
  addDescribe(program, io, finish);
  addTest(program, io, finish);
  addProve(program, io, finish);
  addReplay(program, io, finish);
  addLint(program, io, finish);
  addRules(program, io, finish);
  addInject(program, io, finish);
  program
    .command('schema')
    .description('print the JSON Schema of a kind; without a kind, list the kinds that have a schema')
    .argument('[KIND]', 'for example PeerAuthentication or MeshConfig')
    .option('--all', 'write every schema, all.json (which chooses by apiVersion and kind), and a catalogue for editors')
    .option('-o, --output <folder>', 'with --all: folder to write to', parsePath)
    .action(async (kind: string | undefined, options: SchemaOptions) =>
      finish(await (await import('./schema-command.ts')).runSchema(kind, options, io)),
    );
  program
    .command('version')
    .description('print the version')
    .action(() => io.writeOut(`meshpol ${version}\n`));
  const values = async () => (await import('./completion/meshpol-values.ts')).meshpolValues;
  addCompletion(program, { values, writeOut: (text) => io.writeOut(text), finish });
  return program;
}

function deliveryOption(): Option {
  const text =
    'files: write files for Envoy; ads: print names and versions of the resources that a control plane would serve';
  return new Option('--delivery <form>', text).choices(['files', 'ads']).default('files');
}

function addCompile(program: Command, io: CliIo, finish: Finish): void {
  program
    .command('compile')
    .description('compile policies and topology into Envoy configuration')
    .argument('[PATHS...]', 'files, folders (recursive), or - for standard input', collectPath)
    .option('-f, --filename <path>', 'file or folder, the same as an argument; may be repeated', collectPath)
    .option('--exclude <glob>', 'files to leave out, a pattern as in .gitignore; may be repeated', collectPattern)
    .option(
      '-o, --output <dir>',
      'folder to write to; without it the configuration of one workload is printed',
      parsePath,
    )
    .option(
      '--check <dir>',
      'compare with the output in this folder and write nothing: prints a unified diff, exits with 1 if there is a difference',
      parsePath,
    )
    .option('--workload <namespace/name>', 'compile this workload only; may be repeated', parseWorkload)
    .option('--all', 'compile every workload that has a proxy (the default)')
    .addOption(new Option('--format <form>', 'format of the output').choices(['json', 'yaml']).default('json'))
    .addOption(deliveryOption())
    .option('--annotate', 'record the source policy of each Envoy resource in metadata.filter_metadata["mesh.origin"]')
    .option('--force', 'overwrite files that this program did not write')
    .option('--meshConfig <file>', 'mesh configuration (default: none)', parsePath)
    .option(
      '--templateFile <path>',
      'bootstrap template, or a folder whose templates replace those of the same name (default: none)',
      parsePath,
    )
    .option(
      '--trust-domain <domain>',
      'trust domain of identities (default: TRUST_DOMAIN, else trustDomain of the mesh configuration, else cluster.local)',
      parseTrustDomain,
    )
    .option(
      '--root-namespace <name>',
      `namespace whose policies apply to the whole mesh ${rootDefault}`,
      parseNamespace,
    )
    .option(
      '--jwks <issuer=file>',
      'JSON Web Key Set that verifies the tokens of an issuer; may be repeated (without a key set, all tokens of the issuer are rejected)',
      parseKeySetOption,
    )
    .option('--max-file-size <size>', 'largest size of an input file (default: 16MiB)', parseSize)
    .option('--max-diagnostics <count>', 'largest number of diagnostics to print', parseCount, 50)
    .addOption(
      new Option('--diagnostics <form>', 'format of the diagnostics')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .option('--quiet', 'print no warnings, infos, summary and progress, and with --check no diff of origins')
    .action(async (paths: string[], options: CompileOptions) => {
      const { runCompile } = await import('./compile-command.ts');
      finish(await runCompile(paths, options, io));
    });
}
