import { Command, CommanderError, type Option, type OutputConfiguration } from 'commander';
import { UsageError } from '../lib/usage-error.ts';
import { didYouMean } from './agent/values.ts';
import { exitCode } from './exit-codes.ts';
import { explainFailure } from './failure.ts';
import { printError, printOut } from './io.ts';

/** Takes the exit code of the command that ran. */
export type Finish = (code: number) => void;

/** Where a program prints; both resolve when the text was taken. */
export interface ProgramPrinter {
  readonly writeOut: (text: string) => Promise<void>;
  readonly writeError: (text: string) => Promise<void>;
}

/**
 * Runs one command line and gives the exit code: the command's own, 0 when it gave none, and for what is thrown 2 (the
 * command line), 3 (the world) or 70 (a bug of ours), after the reason was written.
 */
export async function runProgram(
  name: string,
  parse: (finish: Finish, output: OutputConfiguration) => Promise<unknown>,
  { writeOut, writeError }: ProgramPrinter = { writeOut: printOut, writeError: printError },
): Promise<number> {
  const printed: Promise<void>[] = [];
  const keep = (printing: Promise<void>): void => {
    // Looked at below; until then a failure would end the process.
    printing.catch(() => undefined);
    printed.push(printing);
  };
  const output = {
    writeOut: (text: string) => keep(writeOut(text)),
    writeErr: (text: string) => keep(writeError(text)),
  };
  try {
    const code = await codeOf((finish) => parse(finish, output));
    await Promise.all(printed);
    return code;
  } catch (thrown) {
    const failure = explainFailure(thrown, name);
    // Where standard error cannot be written either, the exit code says it alone.
    await writeError(failure.text).catch(() => undefined);
    return failure.code;
  }
}

async function codeOf(parse: (finish: Finish) => Promise<unknown>): Promise<number> {
  let code: number = exitCode.done;
  try {
    await parse((result) => {
      code = result;
    });
    return code;
  } catch (thrown) {
    // Commander has printed its own message, with the nearest name.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCode.done : exitCode.usage;
    throw thrown;
  }
}

/**
 * A program without commands yet: it throws instead of ending the process, and its mistakes begin with its name. It
 * writes to the process where `output` does not say otherwise.
 */
export function createProgram(name: string, description: string, output: OutputConfiguration = {}): Command {
  return new Command(name)
    .description(description)
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ optionDescription: describeOption })
    .configureOutput({ ...output, outputError: (text, write) => write(text.replace(/^error: /, `${name}: `)) })
    .showHelpAfterError(`(${name} --help says more)`);
}

/** Defaults without quotes, and none where there is nothing to say or the description says it better. */
function describeOption({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const choices = argChoices === undefined ? '' : ` (one of ${argChoices.join(', ')})`;
  if (defaultValue === undefined || defaultValue === '' || description.includes('(default: '))
    return `${description}${choices}`;
  return `${description}${choices} (default: ${defaultValueDescription ?? defaultValue})`;
}

/** For a program with flags before its command: prints the help without a command, and refuses a command it lacks. */
export function answerWithoutCommand(program: Command): Command {
  return program.allowExcessArguments().action(() => {
    const [name] = program.args;
    if (name === undefined) return program.outputHelp();
    const names = program.commands.map((command) => command.name());
    throw new UsageError(`unknown command "${name}"${didYouMean(name, names)}`);
  });
}

/** The command `version` in the forms of the agent's and the control plane's; `begin` runs before it prints. */
export function addVersionCommand(program: Command, begin: () => void): Command {
  return program
    .command('version')
    .showHelpAfterError(`(${program.name()} version --help says more)`)
    .description('print build information')
    .allowExcessArguments(false)
    .option('-o, --output <form>', 'format: yaml or json (default: one line)')
    .option('-s, --short', 'print the version alone (default: off)')
    .action(async (options: { readonly output?: string; readonly short?: boolean }) => {
      begin();
      const { formatVersion } = await import('./agent/version.ts');
      await printOut(formatVersion(options));
    });
}
