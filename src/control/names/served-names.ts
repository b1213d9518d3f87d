import { Zone } from '../../dns/zone.ts';
import type { ResourceView } from '../../xds/resource-view.ts';
import type { NameChanges } from './name-changes.ts';
import { type NameCaller, NameScopes } from './name-scopes.ts';
import { NameViews } from './name-views.ts';
import { ScopedMemory } from './scoped-memory.ts';

/** The names of the mesh that are served, as the compile thread tells them. */
export class ServedNames {
  readonly #views = new NameViews();
  readonly #scopes = new NameScopes();
  readonly #scoped = new ScopedMemory<Zone>();
  #suffixes: readonly string[] = [];
  #zone: Zone | undefined;

  /** Undefined until all names were told once; those of a thread that has ended stay until the next one tells its own. */
  get zone(): Zone | undefined {
    return this.#zone;
  }

  /** The names that a workload (`<namespace>/<name>`) may know, as resources for its agent. */
  readonly viewOf = (namespace: string, workload: string): ResourceView =>
    this.#views.of(namespace, this.#scopes.ofWorkload(workload));

  /** What is answered to a caller: if its workload has a Sidecar, the names of the services that this imports. */
  zoneFor(caller: NameCaller | undefined): Zone | undefined {
    const scope = caller && this.#scopes.ofCaller(caller);
    if (scope === undefined) return this.#zone;
    return this.#scoped.of(scope, '', () => {
      const zone = new Zone(this.#suffixes);
      for (const [key, name] of this.#views.within(scope)) zone.set(key, name);
      return zone;
    });
  }

  take(changes: NameChanges): void {
    const { isWhole, suffixes, changed, removed, scopes } = changes;
    for (const service of this.#views.take(changes)) this.#scoped.forget(service);
    if (isWhole) {
      this.#scopes.clear();
      this.#scoped.clear();
      this.#suffixes = suffixes;
    }
    this.#scopes.take(scopes);
    this.#views.keep(this.#scopes.inUse);
    this.#scoped.keep(this.#scopes.inUse);
    const zone = isWhole || this.#zone === undefined ? new Zone(suffixes) : this.#zone;
    for (const key of removed) zone.set(key, undefined);
    for (const [key, name] of changed) zone.set(key, name);
    this.#zone = zone;
  }
}
