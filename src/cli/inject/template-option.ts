import { InvalidArgumentError } from 'commander';

/** A template of the user's own, and what pods call it. */
export interface TemplateOption {
  readonly name: string;
  readonly path: string;
}

/** Reads one value of `--injectionTemplate`, `NAME=FILE`; it may stand several times, each with a name of its own. */
export function parseTemplateOption(
  value: string,
  before: readonly TemplateOption[] | undefined = [],
): readonly TemplateOption[] {
  const [, name, path] = /^([\w.-]+)=(.+)$/s.exec(value) ?? [];
  if (name === undefined || path === undefined) throw new InvalidArgumentError('Expected NAME=FILE.');
  if (before.some((other) => other.name === name))
    throw new InvalidArgumentError(`The template "${name}" is given twice.`);
  return [...before, { name, path }];
}
