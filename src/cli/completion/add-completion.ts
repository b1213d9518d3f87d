import { Argument, type Command } from 'commander';
import { exitCode } from '../exit-codes.ts';
import { printOut } from '../io.ts';
import { type Shell, shells } from './shell.ts';
import type { Offer, ValueTable } from './value-source.ts';

export interface CompletionOptions {
  /** The values that the program knows; loaded when a completion is asked for. */
  readonly values: () => Promise<ValueTable>;
  /** Runs before anything is printed. */
  readonly begin?: () => void;
  readonly writeOut?: (text: string) => Promise<void>;
  readonly finish: (code: number) => void;
}

/** Adds `completion`, which prints a script for a shell, and the command by which that script asks what may be typed. */
export function addCompletion(program: Command, options: CompletionOptions): Command {
  const { values, begin = () => undefined, writeOut = printOut, finish } = options;
  program
    .command('__complete [words...]', { hidden: true })
    .helpOption(false)
    .allowUnknownOption()
    .action(async (words: readonly string[]) => {
      begin();
      const text = await answer(program, words, values);
      await writeOut(text);
      finish(exitCode.done);
    });
  return program
    .command('completion')
    .description('print a script that completes command lines in a shell')
    .showHelpAfterError(`(${program.name()} completion --help says more)`)
    .allowExcessArguments(false)
    .addArgument(new Argument('<SHELL>', 'bash, zsh or fish').choices(shells))
    .action(async (shell: Shell) => {
      begin();
      const { completionScript } = await import('./scripts.ts');
      await writeOut(completionScript(shell, program.name()));
    });
}

/** Whoever completes a line has no use for an error: without an answer nothing is offered. */
async function answer(program: Command, words: readonly string[], values: () => Promise<ValueTable>): Promise<string> {
  try {
    const { complete } = await import('./complete.ts');
    return formatOffer(await complete(program, words, await values()));
  } catch {
    return '';
  }
}

/**
 * A line for each word, with its description behind a tab; then, where a path may stand, `:files` or `:folders` behind
 * the number of characters before it.
 */
export function formatOffer({ words = [], paths, pathStart = 0 }: Offer): string {
  const lines = words.map(({ word, description }) => (description === '' ? word : `${word}\t${oneLine(description)}`));
  if (paths !== undefined) lines.push(`:${paths}:${pathStart}`);
  return lines.map((line) => `${line}\n`).join('');
}

/** Menus are narrow. */
function oneLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
