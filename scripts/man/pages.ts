import { readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { commandsOf, helpOf, programs } from '../docs/command-options.ts';
import { fromMarkdown, inline } from './from-markdown.ts';
import { bold, definition, escapeRoff, verbatim } from './roff.ts';

/**
 * The manual pages, one a program and one a command: file name and text. Options come from what `--help` shows, all else
 * of a command from its page in docs/reference.
 */
export function manPages(): readonly (readonly [file: string, text: string])[] {
  return programs.flatMap((program) => [
    programPage(program),
    ...commandsOf(program).map((command) => commandPage(program, command)),
  ]);
}

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

type Page = readonly [file: string, text: string];

function commandPage(program: Command, command: Command): Page {
  const name = `${program.name()}-${command.name()}`;
  const section = sectionsOf(readFileSync(`docs/reference/${name}.md`, 'utf8'));
  return page(name, command.description(), [
    ['SYNOPSIS', synopsis(command)],
    ['DESCRIPTION', fromMarkdown(section('Description'))],
    ['OPTIONS', argumentsAndOptions(command)],
    ['EXIT STATUS', fromMarkdown(section('Exit codes'))],
    ['ENVIRONMENT', fromMarkdown(section('Environment'))],
    ['EXAMPLES', fromMarkdown(section('Examples'))],
    ['SEE ALSO', seeAlso(program, section('See also'))],
  ]);
}

function programPage(program: Command): Page {
  const name = program.name();
  const commands = commandsOf(program);
  const examples = helpTextOf(program).match(/^Examples:\n((?: {2}.*\n)+)/m)?.[1];
  return page(name, program.description(), [
    ['SYNOPSIS', synopsis(program)],
    ['DESCRIPTION', `${escapeRoff(program.description())}\n`],
    [
      'COMMANDS',
      commands.map((it) => definition(reference(`${name}-${it.name()}`), escapeRoff(it.description()))).join(''),
    ],
    ['OPTIONS', argumentsAndOptions(program)],
    ['EXIT STATUS', fromMarkdown(exitCodes())],
    ...(examples === undefined ? [] : [['EXAMPLES', verbatim(examples.replaceAll(/^ {2}/gm, '').trimEnd())] as const]),
    [
      'SEE ALSO',
      `${[...commands.map((it) => `${name}-${it.name()}`), ...otherPrograms(name)].map(reference).join(',\n')}\n`,
    ],
  ]);
}

function otherPrograms(name: string): readonly string[] {
  return programs.map((it) => it.name()).filter((other) => other !== name);
}

/** Without a date: the same source gives the same page. No word is broken: names are copied. */
function page(name: string, description: string, sections: readonly (readonly [title: string, text: string])[]): Page {
  const title = `.TH ${escapeRoff(name.toUpperCase())} 1 "" "mesh\\-policy\\-compiler ${escapeRoff(version)}"\n.nh\n.ad l\n`;
  const purpose = description.replace(/\.$/, '');
  const named = `.SH NAME\n${escapeRoff(name)} \\- ${escapeRoff(purpose.charAt(0).toLowerCase() + purpose.slice(1))}\n`;
  const rest = sections.filter(([, text]) => text !== '').map(([heading, text]) => `.SH ${heading}\n${text}`);
  return [`${name}.1`, `${title}${named}${rest.join('')}`];
}

function synopsis(command: Command): string {
  const [, name = '', rest = ''] = /^((?:[a-z-]+ ?)+?)( .*)?$/.exec(command.createHelp().commandUsage(command)) ?? [];
  return `${bold(name)}${escapeRoff(rest)}\n`;
}

/** As `--help` has them, in its groups. */
function argumentsAndOptions(command: Command): string {
  const help = helpOf(command);
  const given = command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => definition(bold(help.argumentTerm(argument)), escapeRoff(argument.description)));
  const groups = new Map<string, Option[]>();
  for (const option of help.visibleOptions(command)) {
    const heading = option.helpGroupHeading ?? '';
    groups.set(heading, [...(groups.get(heading) ?? []), option]);
  }
  const options = Array.from(groups, ([heading, some]) => {
    const list = some.map((it) => definition(bold(help.optionTerm(it)), escapeRoff(help.optionDescription(it))));
    return `${heading === '' ? '' : `.SS ${escapeRoff(heading.replace(/:$/, ''))}\n`}${list.join('')}`;
  });
  return [...given, ...options].join('');
}

/** Links to pages of commands name their manual pages; other pages are not installed, and have titles. */
function seeAlso(program: Command, text: string): string {
  const links = Array.from(text.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g), ([, title = '', target = '']) => {
    const [, file] = /^((?:meshpol|meshd|pilot-agent)-[a-z-]+)\.md$/.exec(target) ?? [];
    return isPage(file) ? reference(file) : `${inline(title)} (in the documentation)`;
  });
  return `${[reference(program.name()), ...links].join(',\n')}\n`;
}

function isPage(file: string | undefined): file is string {
  return programs.some((it) => commandsOf(it).some((command) => `${it.name()}-${command.name()}` === file));
}

function reference(name: string): string {
  return `${bold(name)}(1)`;
}

/** Text of each `##` section of a page, up to the link to the next page. */
function sectionsOf(text: string): (heading: string) => string {
  const parts = text.replace(/\n---\n\nNext: .*\n$/, '').split(/^## /m);
  return (heading) => {
    const found = parts.find((part) => part.startsWith(`${heading}\n`));
    if (found === undefined) throw new Error(`no section "${heading}"`);
    return found.slice(heading.length + 1);
  };
}

/** The table of all programs, in the README. */
function exitCodes(): string {
  const [table] = /^\| exit code \|.*\n(?:\|.*\n)+/m.exec(readFileSync('README.md', 'utf8')) ?? [];
  if (table === undefined) throw new Error('README.md has no table of exit codes');
  return table;
}

function helpTextOf(program: Command): string {
  const parts: string[] = [];
  program.configureOutput({ writeOut: (part) => void parts.push(part) }).outputHelp();
  return parts.join('');
}
