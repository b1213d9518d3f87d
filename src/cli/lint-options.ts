import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliIo } from './io.ts';
import { type LintCommandOptions, type LintOutput, lintForms } from './lint-settings.ts';
import {
  collect,
  collectPath,
  collectPattern,
  parseCount,
  parseNamespace,
  parsePath,
  parseSize,
  parseTrustDomain,
  rootDefault,
} from './options.ts';
import type { Finish } from './program.ts';
import type { RulesOptions } from './rules-command.ts';

const severities = ['error', 'warning', 'info'];

/** `FORM` or `FORM=FILE`; one of several may go to standard output. */
export function parseLintOutput(value: string, before: readonly LintOutput[] | undefined): readonly LintOutput[] {
  const [, name = '', file] = /^([^=]*)(?:=(.*))?$/s.exec(value) ?? [];
  const form = lintForms.find((it) => it === name);
  if (form === undefined || file === '') {
    throw new InvalidArgumentError(`Expected FORM or FORM=FILE, where FORM is one of ${lintForms.join(', ')}.`);
  }
  if (before?.some((other) => other.file === file)) {
    throw new InvalidArgumentError(`${file ?? 'Standard output'} is taken by another form.`);
  }
  return [...(before ?? []), file === undefined ? { form } : { form, file }];
}

/** The command `lint` of `meshpol`. */
export function addLint(program: Command, io: CliIo, finish: Finish): void {
  program
    .command('lint')
    .description('find mistakes in policies that compile')
    .argument('[PATHS...]', 'files, folders (recursive), or - for standard input', collectPath)
    .option('-f, --filename <path>', 'file or folder, the same as an argument; may be repeated', collectPath)
    .option('--exclude <glob>', 'files to leave out, a pattern as in .gitignore; may be repeated', collectPattern)
    .option('--rule <code>', 'run this rule only (code or number); may be repeated', collect)
    .option('--category <name>', 'run the rules of this category only; may be repeated', collect)
    .addOption(
      new Option(
        '--severity <severity>',
        'print findings of this severity and above (default: that of the project file, else warning)',
      ).choices(severities),
    )
    .addOption(
      new Option(
        '--fail-on <severity>',
        'exit with 1 if there is a finding of this severity or above (default: that of the project file, else error)',
      ).choices(severities),
    )
    .option(
      '--config <file>',
      'project file (default: the nearest .meshpol.yaml, from the first path upwards)',
      parsePath,
    )
    .option('--no-config', 'read no project file')
    .option(
      '-o, --output <form[=file]>',
      `format of the findings, and a file to write it to: ${lintForms.join(', ')}; may be repeated (default: text)`,
      parseLintOutput,
    )
    .option('--meshConfig <file>', 'mesh configuration (default: none)', parsePath)
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
    .option('--max-file-size <size>', 'largest size of an input file (default: 16MiB)', parseSize)
    .option('--max-diagnostics <count>', 'largest number of findings in the text format', parseCount, 50)
    .option(
      '--baseline <file>',
      'leave out the findings that are in this file: only new ones are printed and affect the exit code',
      parsePath,
    )
    .option('--write-baseline <file>', 'write the current findings to this file, and use it as the baseline', parsePath)
    .option('--changed-since <revision>', 'print only findings of objects that changed since this revision of git')
    .option('--fix', 'apply the safe fixes to the files, then lint again')
    .option('--dry-run', 'with --fix: print the fixes as a diff, and change nothing')
    .option('--quiet', 'print no summary and no progress')
    .action(async (paths: string[], options: LintCommandOptions) => {
      const { runLint } = await import('./lint-command.ts');
      finish(await runLint(paths, options, io));
    });
}

/** The command `rules` of `meshpol`. */
export function addRules(program: Command, io: CliIo, finish: Finish): void {
  program
    .command('rules')
    .description('list the rules of lint, or explain one')
    .argument('[CODE]', 'code of a rule, or its number, such as MP304')
    .option('--from <code>', 'list the rules for a code of another tool, such as IST0101 (istioctl) or KIA0105 (Kiali)')
    .action(async (code: string | undefined, options: RulesOptions) => {
      const { runRules } = await import('./rules-command.ts');
      finish(await runRules(code, options, io));
    });
}
