import type { ScopeChanges, ScopedWorkload } from './scope-changes.ts';

/** Services whose names some workloads with a Sidecar may know. */
export interface NameScope {
  readonly services: ReadonlySet<string>;
}

/** Who asks over a connection, by its certificate and its address. */
export interface NameCaller {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly address: string;
}

/** Which workloads have a Sidecar, and what it leaves them of the names of the mesh. */
export class NameScopes {
  readonly #scopes = new Map<string, NameScope>();
  readonly #workloads = new Map<string, ScopedWorkload>();
  /** Scopes of the workloads with an identity and address: several may share them, on the network of a node. */
  readonly #callers = new Map<string, Map<string, number>>();

  get inUse(): ReadonlySet<NameScope> {
    return new Set(this.#scopes.values());
  }

  clear(): void {
    this.#scopes.clear();
    this.#workloads.clear();
    this.#callers.clear();
  }

  take({ scopes, goneScopes, workloads, goneWorkloads }: ScopeChanges): void {
    for (const name of goneScopes) this.#scopes.delete(name);
    for (const [name, services] of scopes) this.#scopes.set(name, { services: new Set(services) });
    for (const key of goneWorkloads) this.#remove(key);
    for (const [key, workload] of workloads) {
      this.#remove(key);
      this.#workloads.set(key, workload);
      this.#count(workload, 1);
    }
  }

  /** Of a workload (`<namespace>/<name>`); undefined: it has no Sidecar. */
  ofWorkload(key: string): NameScope | undefined {
    const workload = this.#workloads.get(key);
    return workload && this.#scopes.get(workload.scope);
  }

  /** Undefined: it has no Sidecar, or its address tells no workload, or several that may know different names. */
  ofCaller({ namespace, serviceAccount, address }: NameCaller): NameScope | undefined {
    const scopes = [...(this.#callers.get(callerKey(namespace, serviceAccount, address))?.keys() ?? [])];
    return scopes.length === 1 ? this.#scopes.get(scopes[0] as string) : undefined;
  }

  #remove(key: string): void {
    const workload = this.#workloads.get(key);
    if (workload === undefined) return;
    this.#workloads.delete(key);
    this.#count(workload, -1);
  }

  #count({ scope, namespace, serviceAccount, addresses }: ScopedWorkload, change: 1 | -1): void {
    for (const address of addresses) {
      const caller = callerKey(namespace, serviceAccount, address);
      const scopes = this.#callers.get(caller) ?? new Map<string, number>();
      const now = (scopes.get(scope) ?? 0) + change;
      if (now === 0) scopes.delete(scope);
      else scopes.set(scope, now);
      if (scopes.size === 0) this.#callers.delete(caller);
      else this.#callers.set(caller, scopes);
    }
  }
}

function callerKey(namespace: string, serviceAccount: string, address: string): string {
  return `${namespace}/${serviceAccount}/${address}`;
}
