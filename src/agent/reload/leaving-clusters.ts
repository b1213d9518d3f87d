import { type EnvoyResource, ResourceFile } from '../../envoy/api/resource-file.ts';

interface Leaving {
  readonly cluster: EnvoyResource;
  /** As `performance.now()` counts. */
  readonly untilMs: number;
}

/**
 * Clusters that Envoy keeps for a while although its configuration no longer has them: a request that waits in a filter, for an
 * authorizer, say, was routed before the change, and would get 503. Immutable.
 */
export class LeavingClusters {
  readonly #leaving: ReadonlyMap<string, Leaving>;

  constructor(leaving: ReadonlyMap<string, Leaving> = new Map()) {
    this.#leaving = leaving;
  }

  /** When the time of the first one is over; undefined: there is none. */
  get firstEndMs(): number | undefined {
    const ends = [...this.#leaving.values()].map(({ untilMs }) => untilMs);
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  /** What Envoy has where its configuration has `clusters`: those, and behind them the ones that leave. */
  with(clusters: ResourceFile): ResourceFile {
    const names = new Set(clusters.resources.map(({ name }) => name));
    const others = [...this.#leaving.values()].flatMap(({ cluster }) => (names.has(cluster.name) ? [] : [cluster]));
    return others.length === 0 ? clusters : new ResourceFile([...clusters.resources, ...others]);
  }

  /** When the configuration has become `next`, and Envoy has `all`: what leaves from now on goes at `untilMs`. */
  after(next: ResourceFile, all: ResourceFile, untilMs: number): LeavingClusters {
    const names = new Set(next.resources.map(({ name }) => name));
    const leaving = all.resources.filter(({ name }) => !names.has(name));
    return new LeavingClusters(
      new Map(leaving.map((cluster) => [cluster.name, this.#leaving.get(cluster.name) ?? { cluster, untilMs }])),
    );
  }

  /** Without those whose time is over. */
  at(nowMs: number): LeavingClusters {
    return new LeavingClusters(new Map([...this.#leaving].filter(([, { untilMs }]) => untilMs > nowMs)));
  }
}
