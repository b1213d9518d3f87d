import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { contentVersion } from '../../xds/resource.ts';
import { serviceKey } from './name-table.ts';

/** A workload with a Sidecar. */
export interface ScopedWorkload {
  /** Of the services whose names it may know. */
  readonly scope: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly addresses: readonly string[];
}

/** What is different of the services whose names the workloads with a Sidecar may know. */
export interface ScopeChanges {
  /** Keys of services by the name of the scope, which is their digest. */
  readonly scopes: readonly (readonly [string, readonly string[]])[];
  readonly goneScopes: readonly string[];
  /** By `<namespace>/<name>`. */
  readonly workloads: readonly (readonly [string, ScopedWorkload])[];
  /** They are gone, or without a Sidecar. */
  readonly goneWorkloads: readonly string[];
}

type InForce = Pick<Snapshot, 'topology' | 'policies' | 'effective' | 'scopeOf'>;
type Services = ReturnType<Snapshot['effective']['named']>;

interface Scope {
  readonly name: string;
  readonly services: readonly string[];
}

/**
 * Finds what to tell of scopes, by what was told before. The services are those that the compiler has the proxy route, so that
 * a workload can resolve what it can call.
 */
export class ScopeTeller {
  readonly #scopes = new WeakMap<Services, Scope>();
  readonly #made = new WeakMap<Workload, ScopedWorkload>();
  #toldScopes: ReadonlyMap<string, Scope> = new Map();
  #toldWorkloads: ReadonlyMap<string, ScopedWorkload> = new Map();

  /** Nothing that was told holds any more. */
  forget(): void {
    this.#toldScopes = new Map();
    this.#toldWorkloads = new Map();
  }

  /** `proxies` are the workloads (`<namespace>/<name>`) that have one; undefined: nothing is different. */
  changesTo({ topology, policies, effective, scopeOf }: InForce, proxies: Iterable<string>): ScopeChanges | undefined {
    const scopes = new Map<string, Scope>();
    const workloads = new Map<string, ScopedWorkload>();
    const served = new Set(proxies);
    // In a mesh without Sidecars, no change costs a look at each workload.
    for (const workload of policies.sidecars.length === 0 ? [] : topology.workloads) {
      const key = `${workload.namespace}/${workload.name}`;
      if (!served.has(key)) continue;
      const client = scopeOf(workload);
      if (client.egress === undefined) continue;
      const scope = this.#scopeOf(effective.named(client));
      scopes.set(scope.name, scope);
      workloads.set(key, this.#scoped(workload, scope));
    }
    const [toldScopes, toldWorkloads] = [this.#toldScopes, this.#toldWorkloads];
    this.#toldScopes = scopes;
    this.#toldWorkloads = workloads;
    const changes: ScopeChanges = {
      scopes: [...scopes.values()]
        .filter(({ name }) => !toldScopes.has(name))
        .map(({ name, services }) => [name, services] as const),
      goneScopes: [...toldScopes.keys()].filter((name) => !scopes.has(name)),
      workloads: [...workloads].filter(([key, workload]) => toldWorkloads.get(key) !== workload),
      goneWorkloads: [...toldWorkloads.keys()].filter((key) => !workloads.has(key)),
    };
    return Object.values(changes).some((list) => list.length > 0) ? changes : undefined;
  }

  #scopeOf(named: Services): Scope {
    let scope = this.#scopes.get(named);
    if (scope === undefined) {
      const services = named.map(serviceKey).sort();
      scope = { name: contentVersion(...services), services };
      this.#scopes.set(named, scope);
    }
    return scope;
  }

  #scoped(workload: Workload, { name: scope }: Scope): ScopedWorkload {
    const before = this.#made.get(workload);
    if (before?.scope === scope) return before;
    const { namespace, serviceAccount, addresses } = workload;
    const made = { scope, namespace, serviceAccount, addresses };
    this.#made.set(workload, made);
    return made;
  }
}
