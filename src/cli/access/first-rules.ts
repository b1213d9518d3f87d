import { placeName, unseenText } from '../../access/report/coverage-text.ts';
import { type RuleName, ruleNamed, rulesInForce } from '../../access/suite/coverage/covered-mesh.ts';
import { type CoveragePlace, unseenSides } from '../../access/suite/coverage/place.ts';
import { keyOf } from '../../access/world.ts';
import { sortedBy } from '../../lib/sort.ts';
import { type Draft, draftRequests } from '../../library/first-test/drafts.ts';
import type { FirstRow, FirstRule } from '../../library/first-test/format-first-test.ts';
import { findPolicy, surroundingsOf } from '../../library/first-test/surroundings-of.ts';
import { firstExpectation, followFirst } from './first-requests.ts';
import type { OpenMesh } from './open-mesh.ts';
import { RunCoverage } from './test-coverage.ts';

/** For each rule that is in force somewhere: requests that show its predicates, with their verdicts, by file and line. */
export function firstRules(mesh: OpenMesh): readonly FirstRule[] {
  const search = new RequestSearch(mesh);
  const found = new Map<string, FirstRule>();
  for (const workload of sortedBy(mesh.world.mesh.workloads, keyOf)) {
    const proxy = mesh.world.proxies.get(keyOf(workload));
    for (const { name } of proxy === undefined ? [] : rulesInForce(proxy)) {
      const named = ruleNamed(name);
      const policy = named && findPolicy(mesh.snapshot, named);
      const rule = policy?.spec.rules?.[named?.index ?? 0];
      const key = JSON.stringify(named);
      if (named === undefined || rule === undefined || found.has(key)) continue;
      const drafts = draftRequests(
        rule,
        surroundingsOf(mesh.world.mesh, workload, rule, policy?.spec.action, mesh.snapshot),
      );
      found.set(key, search.ruleFor(named, drafts));
    }
  }
  return sortedBy(
    found.values(),
    ({ file }) => file,
    ({ line }) => line,
    ({ name }) => name,
  );
}

class RequestSearch {
  readonly #mesh: OpenMesh;
  readonly #coverage = new RunCoverage();
  readonly #observers: ReturnType<RunCoverage['observersOf']>;
  /** By rule; what they have seen changes. */
  readonly #places: ReadonlyMap<string, readonly CoveragePlace[]>;

  constructor(mesh: OpenMesh) {
    this.#mesh = mesh;
    this.#observers = this.#coverage.observersOf(mesh);
    this.#places = groupBy(
      this.#coverage.report.places,
      ({ kind, namespace, name, field }) =>
        `${kind} ${keyOf({ namespace, name })} ${/^spec\.rules\[\d+\]/.exec(field)?.[0] ?? ''}`,
    );
  }

  /** A row for each draft of which a request shows something new. */
  ruleFor({ namespace, name, index }: RuleName, drafts: readonly Draft[]): FirstRule {
    const title = `AuthorizationPolicy ${keyOf({ namespace, name })} spec.rules[${index}]`;
    const places = this.#places.get(title) ?? [];
    const rows = (side: Draft['side']): readonly FirstRow[] =>
      drafts.flatMap((draft) => (draft.side === side ? (this.#rowFor(draft, places) ?? []) : []));
    const inside = rows('inside');
    const outside = rows('outside');
    const [rule] = places.filter(({ group }) => group === 'rules');
    const open = places.filter((place) => unseenSides(place).length > 0);
    return {
      name: title,
      file: rule?.file ?? '',
      line: rule?.line ?? 1,
      ...{ inside, outside },
      open: open.map((place) => `${placeName(place)}: ${unseenText(place)}`),
    };
  }

  /** The first request that shows something new of the draft's side, and whose verdict can be expected. */
  #rowFor({ shows, side, requests }: Draft, places: readonly CoveragePlace[]): FirstRow | undefined {
    const unseen = (): number =>
      places.flatMap(unseenSides).filter((one) => (one === 'false') === (side === 'outside')).length;
    const before = unseen();
    if (before === 0) return undefined;
    for (const request of requests) {
      const expect = firstExpectation(this.#mesh, request);
      if (expect === undefined) continue;
      const showsMore = this.#coverage.attempt(() => {
        followFirst(this.#mesh, request, this.#observers);
        return unseen() < before;
      });
      if (showsMore) return { name: shows, request, expect };
    }
    return undefined;
  }
}

function groupBy(
  places: readonly CoveragePlace[],
  keyOfPlace: (place: CoveragePlace) => string,
): ReadonlyMap<string, readonly CoveragePlace[]> {
  const groups = new Map<string, CoveragePlace[]>();
  for (const place of places) {
    const own = groups.get(keyOfPlace(place));
    if (own === undefined) groups.set(keyOfPlace(place), [place]);
    else own.push(place);
  }
  return groups;
}
