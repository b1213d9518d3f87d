import { readdirSync, readFileSync } from 'node:fs';
import type { Family } from '../config.ts';

/** A folder of `fixtures/redirect/`: a command line and the rules that it makes in an empty network namespace. */
export interface RuleCase {
  readonly name: string;
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Input of `iptables-restore`. */
  readonly rules: Readonly<Record<Family, string>>;
}

const folder = new URL('../../../fixtures/redirect/', import.meta.url);

export function readRuleCases(): RuleCase[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const read = (file: string): string => readFileSync(new URL(`${name}/${file}`, folder), 'utf8');
      const { flags, environment = {} } = JSON.parse(read('case.json')) as Partial<RuleCase>;
      return { name, flags: flags ?? [], environment, rules: { IPv4: read('ipv4.rules'), IPv6: read('ipv6.rules') } };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Short flags with their values, as the command's own parser reads them, by long name. */
export function longFlags(
  flags: readonly string[],
  names: readonly { readonly name: string; readonly short?: string }[],
) {
  const given: Record<string, string> = {};
  for (let i = 0; i < flags.length; i += 2) {
    const flag = names.find(({ short }) => `-${short}` === flags[i]);
    if (flag === undefined) throw new Error(`${flags[i]} is no short flag with a value`);
    given[flag.name] = flags[i + 1] ?? '';
  }
  return given;
}
