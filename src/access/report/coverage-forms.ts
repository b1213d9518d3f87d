import { type CoveragePlace, countCoverage, unseenSides } from '../suite/coverage/place.ts';
import type { CoverageReport } from '../suite/coverage/report.ts';

/** JSON with a format number: the counts of each group, and each place with how often its sides were seen. */
export function formatCoverageJson({ places }: CoverageReport): string {
  const all = places.map((place) => ({ ...place, covered: unseenSides(place).length === 0 }));
  return `${JSON.stringify({ format: 1, groups: countCoverage(places), places: all }, undefined, 2)}\n`;
}

/**
 * The tracefile of lcov (geninfo(1)): a line is hit as often as its least used place, and has a branch for each side of each
 * place.
 */
export function formatCoverageLcov({ places }: CoverageReport): string {
  return [...byFile(places)].map(([file, own]) => fileRecord(file, own)).join('');
}

function fileRecord(file: string, places: readonly CoveragePlace[]): string {
  const lines = [...byLine(places)];
  const hits = lines.map(([line, own]) => {
    const least = Math.min(...own.map(({ seen }) => Math.max(...Object.values(seen))));
    return { line, least };
  });
  const branches = lines.flatMap(([line, own]) =>
    own.flatMap(({ seen }, block) =>
      Object.values(seen).map((count, branch) => ({ text: `BRDA:${line},${block},${branch},${count}`, count })),
    ),
  );
  return [
    'TN:meshpol',
    `SF:${file}`,
    ...branches.map(({ text }) => text),
    `BRF:${branches.length}`,
    `BRH:${branches.filter(({ count }) => count > 0).length}`,
    ...hits.map(({ line, least }) => `DA:${line},${least}`),
    `LF:${hits.length}`,
    `LH:${hits.filter(({ least }) => least > 0).length}`,
    'end_of_record',
    '',
  ].join('\n');
}

/** Places whose file is known, in their order. */
export function byFile(places: readonly CoveragePlace[]): ReadonlyMap<string, readonly CoveragePlace[]> {
  return grouped(
    places.filter(({ line }) => line !== undefined),
    ({ file }) => file,
  );
}

/** By number of the line, which counts from 1. */
export function byLine(places: readonly CoveragePlace[]): ReadonlyMap<number, readonly CoveragePlace[]> {
  return grouped(places, ({ line = 1 }) => line);
}

function grouped<K>(places: readonly CoveragePlace[], keyOf: (place: CoveragePlace) => K): Map<K, CoveragePlace[]> {
  const groups = new Map<K, CoveragePlace[]>();
  for (const place of places) {
    const group = groups.get(keyOf(place));
    if (group === undefined) groups.set(keyOf(place), [place]);
    else group.push(place);
  }
  return groups;
}
