import { type Command, InvalidArgumentError } from 'commander';
import { nearest } from '../../lib/nearest.ts';

/** `, did you mean "x"?` for the candidate that is near, or the only one that `text` is short for; else empty text. */
export function didYouMean(text: string, candidates: Iterable<string>): string {
  const names = [...candidates];
  const [longer, ...others] = text.length < 3 ? [] : names.filter((name) => name.startsWith(text));
  const guess = nearest(text, names) ?? (others.length === 0 ? longer : undefined);
  return guess === undefined ? '' : `, did you mean "${guess}"?`;
}

/** A parser that knows what it takes. */
export type ChoiceParser<T> = ((text: string) => T) & { readonly choices: readonly string[] };

/** A parser of one of the names of `values`, which gives what stands for it. */
export function choiceOf<T extends string>(values: Readonly<Record<string, T>>): ChoiceParser<T> {
  const choices = Object.keys(values);
  const parse = (text: string): T => {
    if (Object.hasOwn(values, text)) return values[text] as T;
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}${didYouMean(text, choices) || '.'}`);
  };
  return Object.assign(parse, { choices });
}

/** A decimal number from 0. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('a whole number is expected');
  return Number(text);
}

/** Worker threads of Envoy: it takes billions, and dies of them at its start. */
export function threadCount(text: string): number {
  const threads = wholeNumber(text);
  if (threads > 1_024) throw new InvalidArgumentError('at most 1024 worker threads are started');
  return threads;
}

/** A port, or 0. */
export function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('a port is at most 65535');
  return port;
}

/** Flags given before the command's name: they hold for the command too. */
export function givenOptions(program: Command): object {
  const given = Object.entries(program.opts()).filter(([key]) => program.getOptionValueSource(key) === 'cli');
  return Object.fromEntries(given);
}
