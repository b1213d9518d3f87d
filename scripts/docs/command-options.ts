import type { Command, Help, Option } from 'commander';
import { createPilotAgent } from '../../src/cli/agent/pilot-agent.ts';
import type { ProgramContext } from '../../src/cli/agent/program-context.ts';
import { createMeshd } from '../../src/cli/control/meshd.ts';
import type { CliIo } from '../../src/cli/io.ts';
import { createMeshpol } from '../../src/cli/meshpol.ts';
import { code, table } from './markdown.ts';

/** Commands are only described here, never run: nothing of these is used. */
export const programs: readonly Command[] = [
  createMeshpol({} as CliIo, {}, () => undefined),
  createPilotAgent({} as ProgramContext, () => undefined),
  createMeshd({} as ProgramContext, () => undefined),
];

/** Every command, as it is typed: `pilot-agent proxy`. */
export function commandNames(): readonly string[] {
  return programs.flatMap((program) => commandsOf(program).map((command) => `${program.name()} ${command.name()}`));
}

/** What a program's help lists, without `help` itself. */
export function commandsOf(program: Command): readonly Command[] {
  const visible = program.createHelp().visibleCommands(program);
  return program.commands.filter((command) => visible.includes(command));
}

/** `pilot-agent proxy [options] [role]` */
export function synopsisOf(name: string): string {
  const command = commandOf(name);
  return command.createHelp().commandUsage(command);
}

/** A table of a command's options; the logging flags, which most commands have, are one row. */
export function optionsOf(name: string): string {
  const command = commandOf(name);
  const help = helpOf(command);
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const own = options.filter(({ helpGroupHeading }) => helpGroupHeading !== 'Logging:');
  const rows = own.map((option: Option) => [code(help.optionTerm(option)), help.optionDescription(option)]);
  const logging = own.length < options.length ? [['`--log_…`', '[logging flags](logging.md#flags)']] : [];
  const given = [...argumentsOf(command), ...rows, ...logging];
  return given.length === 0 ? 'None.' : table(['option', 'description'], given);
}

/** What words the help of a command. */
export function helpOf(command: Command): Help {
  return Object.assign(command.createHelp(), command.configureHelp());
}

function argumentsOf(command: Command): string[][] {
  return command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => [
      code(argument.required ? `<${argument.name()}>` : `[${argument.name()}]`),
      argument.description,
    ]);
}

function commandOf(name: string): Command {
  const [program, command] = name.split(' ');
  const found = programs.find((it) => it.name() === program)?.commands.find((it) => it.name() === command);
  if (found === undefined) throw new Error(`no command "${name}"`);
  return found;
}
