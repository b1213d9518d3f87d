import type { DecidingField } from '../../../contracts/origins-file.ts';

/** What of policies and routes tests can cover, and which sides of it they must have seen. */
export const coverageSides = {
  policies: ['in force'],
  rules: ['decided'],
  predicates: ['true', 'false'],
  tokens: ['absent', 'valid', 'invalid'],
  'mutual-tls': ['mutual TLS', 'without'],
  routes: ['taken'],
} as const;

export type CoverageGroup = keyof typeof coverageSides;

export const coverageGroups = Object.keys(coverageSides) as readonly CoverageGroup[];

/** One field of an object, and how often cases have seen each side of it. */
export interface CoveragePlace extends DecidingField {
  readonly group: CoverageGroup;
  /** Of a predicate: its value as the object has it. */
  readonly value?: string;
  readonly seen: Readonly<Record<string, number>>;
}

/** Sides that no case has seen; empty: it is covered. */
export function unseenSides({ seen }: Pick<CoveragePlace, 'seen'>): readonly string[] {
  return Object.keys(seen).filter((side) => seen[side] === 0);
}

/** How many places of a group are covered. */
export interface CoverageCount {
  readonly covered: number;
  readonly total: number;
}

/** The count of each group. */
export function countCoverage(places: readonly CoveragePlace[]): Readonly<Record<CoverageGroup, CoverageCount>> {
  const counts = coverageGroups.map((group) => {
    const own = places.filter((place) => place.group === group);
    return [group, { covered: own.filter((place) => unseenSides(place).length === 0).length, total: own.length }];
  });
  return Object.fromEntries(counts) as Record<CoverageGroup, CoverageCount>;
}

/** Between 0 and 100; 100 where there is nothing to cover. */
export function percentOf({ covered, total }: CoverageCount): number {
  return total === 0 ? 100 : (100 * covered) / total;
}

/** `66.6 %`: rounded down, so that only what is whole shows as 100. */
export function percentText(count: CoverageCount): string {
  return `${Math.floor(10 * percentOf(count)) / 10} %`;
}
