import { InvalidArgumentError } from 'commander';
import { type CoverageGroup, coverageGroups } from '../../access/suite/coverage/place.ts';

/** Forms of the coverage of `meshpol test`. */
export const coverageForms = ['text', 'json', 'lcov', 'html'] as const;

export type CoverageForm = (typeof coverageForms)[number];

/** How much of a group must be covered, in percent. */
export interface CoverageMinimum {
  readonly group: CoverageGroup;
  readonly percent: number;
}

/** `GROUP=PERCENT`, several with commas. */
export function parseMinimums(text: string, before: readonly CoverageMinimum[] = []): readonly CoverageMinimum[] {
  const found = text.split(',').map((one): CoverageMinimum => {
    const [, name = '', digits = ''] = /^([a-z-]+)=(\d{1,3}(?:\.\d+)?)%?$/.exec(one.trim()) ?? [];
    const group = coverageGroups.find((it) => it === name);
    if (group === undefined || digits === '' || Number(digits) > 100) {
      throw new InvalidArgumentError(
        `Expected GROUP=PERCENT, several with commas, where GROUP is one of ${coverageGroups.join(', ')}, not "${one}".`,
      );
    }
    return { group, percent: Number(digits) };
  });
  const all = [...before, ...found];
  const twice = all.find(({ group }, i) => all.findIndex((other) => other.group === group) !== i);
  if (twice !== undefined) throw new InvalidArgumentError(`${twice.group} has two values.`);
  return all;
}
