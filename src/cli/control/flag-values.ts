import { InvalidArgumentError } from 'commander';
import { type ConsulAddressText, parseConsulAddress } from '../../consul/consul-address.ts';
import { type Address, parseAddress } from '../../control/server/address.ts';
import { parseRevision, type Revision } from '../../git/revision.ts';

// The values of the flags of `meshd serve`. Each throws InvalidArgumentError, which says what is expected.

/** A template, as a flag names it. */
export interface NamedFile {
  readonly name: string;
  readonly path: string;
}

/** One more `NAME=FILE`. */
export function namedFile(text: string, before: readonly NamedFile[] = []): readonly NamedFile[] {
  const [, name = '', path = ''] = /^([a-z0-9][a-z0-9-]*)=(.+)$/.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('NAME=FILE is expected, with a name of a-z, 0-9 and "-"');
  if (before.some((each) => each.name === name)) throw new InvalidArgumentError(`"${name}" is named twice`);
  return [...before, { name, path }];
}

/** One more `[NAME=]URL`. */
export function consulAddress(text: string, before: readonly ConsulAddressText[] = []): readonly ConsulAddressText[] {
  const parsed = parseConsulAddress(text);
  if ('expected' in parsed) throw new InvalidArgumentError(parsed.expected);
  if (before.some(({ id }) => id === parsed.id))
    throw new InvalidArgumentError(`two of them are called "${parsed.id}": give them names, NAME=URL`);
  return [...before, parsed];
}

/** A revision of git, with or without a folder. */
export function revision(text: string): Revision {
  const parsed = parseRevision(text);
  if ('expected' in parsed) throw new InvalidArgumentError(`${parsed.expected} is expected`);
  return parsed;
}

/** `host:port`, with a host or without. */
export function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new InvalidArgumentError('host:port, [ipv6]:port or :port is expected');
  return parsed;
}

/** A whole number from 1 to 999,999,999. */
export function positive(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value === 0)
    throw new InvalidArgumentError('a whole number from 1 to 999999999 is expected');
  return value;
}
