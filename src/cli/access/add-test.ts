import type { Command } from 'commander';
import type { CliIo } from '../io.ts';
import { collectFilled, collectPath, collectPattern, filledText } from '../options.ts';
import type { Finish } from '../program.ts';
import { parseMinimums } from './coverage-options.ts';
import { addAssume, addMeshSettings } from './mesh-options.ts';
import { parseCoverageOutput, parseTestOutput, type TestOptions } from './test-options.ts';

/** The command `test` of `meshpol`. */
export function addTest(program: Command, io: CliIo, finish: Finish): void {
  const command = program
    .command('test')
    .description('run tests of policies: requests with their expected results')
    .argument(
      '[PATHS...]',
      'files, and folders (recursive), with tests (kind: PolicyTest); default: this folder',
      collectPath,
    )
    .option('-f, --filename <path>', 'file or folder, the same as an argument; may be repeated', collectPath)
    .option('--exclude <glob>', 'files to leave out, a pattern as in .gitignore; may be repeated', collectPattern)
    .option('--filter <text>', 'run only cases whose name has this text', filledText)
    .option('--tag <word>', 'run only cases with this tag; may be repeated, all must match', collectFilled)
    .option(
      '-o, --output <form[=file]>',
      'write the results in this form (text, json, junit, markdown, github); may be repeated (default: text)',
      parseTestOutput,
    )
    .option(
      '--coverage <form[=file]>',
      'write which policies are in force, and which rules, predicates, tokens, modes of mutual TLS and routes the cases cover, in this form (text, json, lcov, html); may be repeated',
      parseCoverageOutput,
    )
    .option(
      '--fail-under <group=percent>',
      'fail if less of a group is covered (policies, rules, predicates, tokens, mutual-tls, routes); several with commas',
      parseMinimums,
    )
    .option('--watch', 'run again whenever tests, policies or settings change, until Ctrl-C')
    .option(
      '--prove',
      'also send the requests of the cases to a real Envoy on this machine, and compare what it does with the predictions',
    )
    .option(
      '--envoy <path>',
      'Envoy of --prove (default: .tools/bin/envoy, else envoy in PATH) [ENVOY_BINARY]',
      filledText,
    )
    .option(
      '--init <file>',
      'write a first test of the policies in the paths to this file (-: standard output): cases for each rule, tokens, mutual TLS and routes, and just outside, with the verdicts of today',
      filledText,
    )
    .option('--force', 'overwrite the file of --init')
    .option('-v, --verbose', 'print also the cases that passed (form text)');
  addMeshSettings(addAssume(command)).action(async (paths: string[], options: TestOptions) => {
    const { runTest } = await import('./test-command.ts');
    finish(await runTest(paths, options, io));
  });
}
