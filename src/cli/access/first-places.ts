import { placeName, unseenText } from '../../access/report/coverage-text.ts';
import { type CoveragePlace, unseenSides } from '../../access/suite/coverage/place.ts';
import type { FirstRow, FirstRule } from '../../library/first-test/format-first-test.ts';
import { type StateDraft, stateDrafts } from '../../library/first-test/state-drafts.ts';
import { firstExpectation, followFirst } from './first-requests.ts';
import type { OpenMesh } from './open-mesh.ts';
import { RunCoverage } from './test-coverage.ts';

/**
 * For each RequestAuthentication, each mode of mutual TLS and each route that is in force somewhere: requests that show what it
 * does, with their verdicts, by file and line.
 */
export function firstPlaces(mesh: OpenMesh): readonly FirstRule[] {
  const coverage = new RunCoverage();
  const observers = coverage.observersOf(mesh);
  return coverage.report.places.flatMap((place) => {
    const drafts = stateDrafts(place, mesh.world, mesh.snapshot, mesh.originsOf);
    if (drafts.length === 0) return [];
    const rows = (side: StateDraft['side'], beside?: FirstRow): readonly FirstRow[] =>
      drafts.flatMap((draft) => (draft.side === side ? (rowFor(draft, place, beside) ?? []) : []));
    const inside = rows('inside');
    const outside = rows('outside', inside[0]);
    const open = unseenSides(place).length === 0 ? [] : [`${placeName(place)}: ${unseenText(place)}`];
    return [{ name: placeName(place), file: place.file, line: place.line ?? 1, inside, outside, open }];
  });

  /** The first request that shows the state, and whose verdict can be expected. */
  function rowFor(
    { shows, state, isAvoided = false, requests }: StateDraft,
    { seen }: CoveragePlace,
    beside: FirstRow | undefined,
  ): FirstRow | undefined {
    // Beside a route that no request was found for, a request says nothing of it.
    if (isAvoided && seen[state] === 0) return undefined;
    for (const request of requests) {
      if (isAvoided && !isTowards(request, beside?.request)) continue;
      const expect = firstExpectation(mesh, request);
      if (expect === undefined) continue;
      const before = seen[state] ?? 0;
      const isShown = coverage.attempt(() => {
        coverage.countRoutes(followFirst(mesh, request, observers));
        return (seen[state] ?? 0) > before;
      });
      if (isShown !== isAvoided) return { name: shows, request, expect };
    }
    return undefined;
  }
}

/** Whether two requests have the same client, target and host. */
function isTowards(a: FirstRow['request'], b: FirstRow['request'] | undefined): boolean {
  return a.from === b?.from && a.to === b?.to && a.host === b?.host;
}
