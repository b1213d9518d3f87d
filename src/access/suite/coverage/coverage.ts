import type { DecidingField, OriginsFile } from '../../../contracts/origins-file.ts';
import type { ObserveProxy } from '../../evaluate/way.ts';
import type { ExplainedWay } from '../../explanation.ts';
import { decidersOf } from '../../reason/deciders.ts';
import { keyOf } from '../../world.ts';
import { type CoveredMesh, rulesInForce, tokenFilters } from './covered-mesh.ts';
import type { CoveragePlace } from './place.ts';
import { ProxyObserver } from './proxy-observer.ts';
import { RuleCounters } from './rule-counters.ts';
import { CoverageTally, isRoute, isScope, ofWhole } from './tally.ts';

/** What cases see of the policies and routes of several meshes. */
export class Coverage {
  readonly #tally = new CoverageTally();

  /** Adds all that is in force in a mesh, unseen; gives the observers of its proxies. */
  add(mesh: CoveredMesh): ObserveProxy {
    const { world, originsOf, policies } = mesh;
    const named = new Map(policies.map((policy) => [objectKey(policy), policy]));
    for (const policy of policies) this.#tally.count('policies', policy);
    const counters = new RuleCounters(mesh, this.#tally);
    const routers = new Set(world.mesh.workloads.filter(({ role }) => role === 'router').map(keyOf));
    for (const [key, proxy] of world.proxies) {
      const isGateway = routers.has(key);
      for (const { name, carries } of rulesInForce(proxy)) counters.add(name, { workload: key, carries, isGateway });
      const origins = originsOf(key);
      for (const { listener, at } of tokenFilters(proxy)) {
        for (const field of decidersOf(origins, listener, at)) this.#tally.count('tokens', ofWhole(field));
      }
      for (const field of routesIn(origins)) this.#tally.count('routes', field);
      for (const field of scopesIn(origins)) this.#tally.count('mutual-tls', field);
      for (const key of objectsIn(origins)) {
        const policy = named.get(key);
        if (policy !== undefined) this.#tally.count('policies', policy, 'in force');
      }
    }
    return (workload) => {
      const key = keyOf(workload);
      return new ProxyObserver(
        { workload: key, isGateway: routers.has(key), origins: originsOf(key) },
        counters,
        this.#tally,
      );
    };
  }

  /** Counts the routes that a case took. */
  countRoutes(ways: readonly ExplainedWay[]): void {
    for (const { legs } of ways)
      for (const { steps } of legs)
        for (const { station, decidedBy } of steps)
          if (station === 'route' || station === 'fault' || station === 'cors')
            for (const field of decidedBy.filter(isRoute)) this.#tally.count('routes', field, 'taken');
  }

  /** Counts what `run` shows, and forgets it again if it gives false. */
  attempt(run: () => boolean): boolean {
    return this.#tally.attempt(run);
  }

  /** By file, line and column. */
  get places(): readonly CoveragePlace[] {
    return this.#tally.places;
  }
}

function objectKey({ kind, namespace, name }: Pick<DecidingField, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name}`;
}

/** Each object that has decided something of a proxy's configuration, once. */
function objectsIn({ listeners, routes, clusters }: OriginsFile): ReadonlySet<string> {
  const fragments = [listeners, routes, clusters].flatMap((one) => Object.values(one).flat());
  return new Set(fragments.flatMap(({ decidedBy }) => decidedBy.map(objectKey)));
}

function routesIn({ routes }: OriginsFile): readonly DecidingField[] {
  return Object.values(routes).flatMap((fragments) => fragments.flatMap(({ decidedBy }) => decidedBy.filter(isRoute)));
}

function scopesIn({ listeners }: OriginsFile): readonly DecidingField[] {
  return Object.values(listeners).flatMap((fragments) =>
    fragments.flatMap(({ path, decidedBy }) => (isChain(path) ? decidedBy.filter(isScope) : [])),
  );
}

function isChain(path: string): boolean {
  return /^(?:filter_chains\[\d+\]|default_filter_chain)$/.test(path);
}
