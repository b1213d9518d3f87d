import {
  type CoveragePlace,
  countCoverage,
  coverageGroups,
  percentText,
  unseenSides,
} from '../suite/coverage/place.ts';
import type { CoverageReport } from '../suite/coverage/report.ts';

/** How much of each group is covered, then each place that is not, with what no case has seen of it. */
export function formatCoverageText({ places }: CoverageReport): string {
  const counts = countCoverage(places);
  const summary = coverageGroups.map((group) => {
    const count = counts[group];
    return `  ${group.padEnd(12)}${`${count.covered} of ${count.total}`.padEnd(14)}${percentText(count)}`;
  });
  const open = places.filter((place) => unseenSides(place).length > 0);
  const lines = open.map((place) => `${placeText(place)}: ${placeName(place)}: ${unseenText(place)}`);
  return `${['coverage', ...summary, ...lines].join('\n')}\n`;
}

/** `policies/shop.yaml:14:7` */
export function placeText({ file, line, column }: CoveragePlace): string {
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}

/** The object and its field; of a predicate also the value. */
export function placeName({ kind, namespace, name, field, value }: CoveragePlace): string {
  const object = `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
  const parts = [object, ...(field === '' ? [] : [field]), ...(value === undefined ? [] : [JSON.stringify(value)])];
  return parts.join(' ');
}

const unseen: Readonly<Record<CoveragePlace['group'], Readonly<Record<string, string>>>> = {
  policies: { 'in force': 'in force at no proxy of the inputs' },
  rules: { decided: 'it decided no case' },
  predicates: {
    true: 'never true in a request that the rule matched',
    false: 'never false while the rest of the rule held',
  },
  tokens: { absent: 'no request without a token', valid: 'no valid token', invalid: 'no invalid token' },
  'mutual-tls': { 'mutual TLS': 'no connection with mutual TLS', without: 'no connection without mutual TLS' },
  routes: { taken: 'no request took it' },
};

/** What no case has seen of a place; empty where it is covered. */
export function unseenText(place: CoveragePlace): string {
  return unseenSides(place)
    .map((side) => unseen[place.group][side] ?? side)
    .join('; ');
}
