import type { DecidingField } from '../../../contracts/origins-file.ts';
import type { JsonPath } from '../../../diagnostics/span.ts';
import { holds } from '../../evaluate/holds.ts';
import type { RequestView } from '../../evaluate/request-view.ts';
import type { AccessRule, Condition } from '../../lift/rbac.ts';

import { type CoveredMesh, type RulePlace, ruleNamed } from './covered-mesh.ts';
import { leavesOf, liftPredicates, type PredicateTree, seePredicates } from './predicate-tree.ts';
import type { CoverageTally } from './tally.ts';

interface RuleCounter {
  readonly field: DecidingField;
  readonly tree: PredicateTree;
  readonly predicates: ReadonlyMap<JsonPath, DecidingField>;
  readonly ofPorts: ReadonlySet<JsonPath>;
}

/** Counts what is seen of the access rules of one mesh, and of their predicates. */
export class RuleCounters {
  readonly #mesh: CoveredMesh;
  readonly #tally: CoverageTally;
  readonly #counters = new Map<string, RuleCounter | undefined>();
  /** By workload and what its chains carry, the rules that are in force on one of them. */
  readonly #ofWorkloads = new Map<string, Map<string, RuleCounter>>();

  constructor(mesh: CoveredMesh, tally: CoverageTally) {
    this.#mesh = mesh;
    this.#tally = tally;
  }

  /** Adds a rule that is in force in such a place, by Envoy's name for it. Those that come from no policy are passed over. */
  add(name: string, { workload, ...place }: RulePlace & { readonly workload: string }): void {
    const key = keyOf(name, place);
    if (!this.#counters.has(key)) this.#counters.set(key, this.#open(name, place));
    const counter = this.#counters.get(key);
    if (counter === undefined) return;
    const own = this.#ofWorkloads.get(`${place.carries} ${workload}`) ?? new Map<string, RuleCounter>();
    this.#ofWorkloads.set(`${place.carries} ${workload}`, own.set(name, counter));
  }

  /** Counts what a request shows of a rule that is judged. */
  see(rule: AccessRule, hasDecided: boolean, view: RequestView, place: RulePlace): void {
    const counter = this.#counters.get(keyOf(rule.name, place));
    if (counter === undefined) return;
    if (hasDecided) this.#tally.count('rules', counter.field, 'decided');
    if (rule.gap !== undefined || rule.readsHeaders.some((name) => view.opaque.includes(name))) return;
    const seen = seePredicates(counter.tree, view);
    // A template of the user's has changed the rule: its predicates say nothing of it.
    if (seen.isMatched !== holds(rule.condition, view)) return;
    for (const path of seen.true) this.#count(counter, path, 'true');
    for (const path of seen.false) this.#count(counter, path, 'false');
  }

  /**
   * Counts what a request shows of the rules that its chain lacks, because they are for other ports: the predicates that
   * say so. `judged` are the names of the rules that it has.
   */
  seeAbsent(judged: ReadonlySet<string>, view: RequestView, workload: string, carries: RulePlace['carries']): void {
    for (const [name, counter] of this.#ofWorkloads.get(`${carries} ${workload}`) ?? []) {
      if (judged.has(name)) continue;
      for (const path of seePredicates(counter.tree, view).false)
        if (counter.ofPorts.has(path)) this.#count(counter, path, 'false');
    }
  }

  #count({ predicates }: RuleCounter, path: JsonPath, side: 'true' | 'false'): void {
    const field = predicates.get(path);
    if (field !== undefined) this.#tally.count('predicates', field, side);
  }

  #open(name: string, place: RulePlace): RuleCounter | undefined {
    const named = ruleNamed(name);
    const written = named && this.#mesh.ruleOf(named, place);
    if (named === undefined || written === undefined) return undefined;
    const { field } = written.fieldAt(['spec', 'rules', named.index]);
    this.#tally.count('rules', field);
    const tree = liftPredicates(written.predicates);
    const leaves = leavesOf(tree);
    const predicates = leaves.map(({ path }) => {
      const own = written.fieldAt(path);
      this.#tally.count('predicates', own.field, undefined, own.value);
      return [path, own.field] as const;
    });
    const ofPorts = new Set(leaves.filter(({ condition }) => isAboutPort(condition)).map(({ path }) => path));
    return { field, tree, predicates: new Map(predicates), ofPorts };
  }
}

function keyOf(name: string, { carries, isGateway }: RulePlace): string {
  return `${carries} ${isGateway} ${name}`;
}

function isAboutPort(condition: Condition): boolean {
  switch (condition.kind) {
    case 'all':
    case 'some':
      return condition.of.some(isAboutPort);
    case 'not':
      return isAboutPort(condition.of);
    default:
      return condition.kind === 'destination-port';
  }
}
