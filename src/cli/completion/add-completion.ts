import { Argument, type Command } from 'commander';
import { type Shell, shells } from '../../completion/shell.ts';
import type { ValueTable } from '../../completion/value-source.ts';
import { exitCode } from '../exit-codes.ts';
import { printOut } from '../io.ts';

export interface CompletionOptions {
  /** The values that the program knows; loaded when a completion is asked for. */
  readonly values: () => Promise<ValueTable>;
  /** Runs before anything is printed. */
  readonly begin?: () => void;
  readonly writeOut?: (text: string) => Promise<void>;
  readonly finish: (code: number) => void;
}

/**
 * Adds `completion`, which prints a script for a shell, and the command by which that script asks what may be typed.
 */
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
      const { completionScript } = await import('../../completion/scripts.ts');
      await writeOut(completionScript(shell, program.name()));
    });
}

/** Empty after an error: a shell that completes a line can't show it, and offers nothing. */
async function answer(program: Command, words: readonly string[], values: () => Promise<ValueTable>): Promise<string> {
  try {
    const { complete } = await import('../../completion/complete.ts');
    const { formatOffer } = await import('../../completion/format-offer.ts');
    return formatOffer(await complete(program, words, await values()));
  } catch {
    return '';
  }
}
