import type { Command, Option } from 'commander';
import { type CursorPlace, placeOf } from './command-line.ts';
import { type Candidate, type Offer, sourceOf, type ValueTable } from './value-source.ts';

/** What may stand at the cursor: `words` are those of the command line up to there, the last one maybe empty. */
export async function complete(program: Command, words: readonly string[], table: ValueTable): Promise<Offer> {
  const word = words.at(-1) ?? '';
  const place = placeOf(program, words.slice(0, -1), word);
  // A dash alone begins an option, or is standard input.
  const isDash = word === '-' && place.takesOptions;
  if (place.value === undefined || isDash) return { words: wordsAt(place, word) };
  const { command, value, prefix } = place;
  const request = { typed: word.slice(prefix.length), inputs: inputsOf(place) };
  const { words: found = [], paths, pathStart = 0 } = await sourceOf(command, value, table)(request);
  const offered = found.map((it) => ({ ...it, word: `${prefix}${it.word}` }));
  return { words: offered, ...(paths && { paths, pathStart: prefix.length + pathStart }) };
}

/** Where the inputs of a command are named. */
function inputsOf({ given }: CursorPlace): readonly string[] {
  return ['PATHS', '--filename', '--policies'].flatMap((name) => given.get(name) ?? []);
}

function wordsAt({ command, takesOptions, given }: CursorPlace, word: string): readonly Candidate[] {
  if (word.startsWith('-')) return takesOptions ? optionsAt(command, given) : [];
  const [first, ...others] = given.get('') ?? [];
  if (others.length > 0 || (first !== undefined && first !== 'help')) return [];
  const commands = command.createHelp().visibleCommands(command);
  if (commands.length > 0) return commands.map((it) => ({ word: it.name(), description: it.description() }));
  return takesOptions ? optionsAt(command, given) : [];
}

/** Options by their long names, but for switches that are given. */
function optionsAt(command: Command, given: CursorPlace['given']): readonly Candidate[] {
  const help = Object.assign(command.createHelp(), command.configureHelp());
  const isDone = (option: Option): boolean => !option.required && given.has(option.long ?? option.flags);
  return help
    .visibleOptions(command)
    .filter((option) => !isDone(option))
    .map((option) => ({ word: option.long ?? option.flags, description: help.optionDescription(option) }));
}
