import type { ZoneName } from '../../dns/zone-name.ts';
import { nameResource, suffixesResource } from '../../xds/name-resources.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { ResourceList } from '../../xds/resource-list.ts';
import { emptyView, ResourceView } from '../../xds/resource-view.ts';
import type { NameChanges } from './name-changes.ts';
import type { NameScope } from './name-scopes.ts';
import type { ServiceName } from './name-table.ts';
import { ScopedMemory } from './scoped-memory.ts';

interface Known {
  readonly name: ServiceName;
  readonly resource: DiscoveryResource;
}

/**
 * The names of the mesh as resources, by the namespace of who sees them: those that everybody sees are one list, and each
 * namespace that sees others has a list of its own. Workloads with a Sidecar have a list for each scope and namespace. A view is
 * the same object until a name in it is another one.
 */
export class NameViews {
  readonly #known = new Map<string, Known>();
  #suffixes: DiscoveryResource | undefined;
  #shared: ResourceList | undefined;
  readonly #own = new Map<string, Map<string, DiscoveryResource>>();
  readonly #views = new Map<string, ResourceView>();
  readonly #byService = new Map<string, Map<string, Known>>();
  readonly #scoped = new ScopedMemory<ResourceView>();

  /** Gives the services of which a name is another one. */
  take({ isWhole, suffixes, changed, removed }: Omit<NameChanges, 'scopes'>): ReadonlySet<string> {
    const services = new Set<string>();
    if (isWhole) {
      this.#known.clear();
      this.#own.clear();
      this.#byService.clear();
      this.#scoped.clear();
      this.#forget('all');
      this.#suffixes = suffixesResource(suffixes);
    }
    const remove = (key: string): void => {
      const service = this.#remove(key);
      if (service !== undefined) services.add(service);
    };
    for (const key of removed) remove(key);
    for (const [key, name] of changed) {
      remove(key);
      const known = { name, resource: nameResource(key, name) };
      this.#known.set(key, known);
      const ofService = this.#byService.get(name.service) ?? new Map<string, Known>();
      this.#byService.set(name.service, ofService.set(key, known));
      services.add(name.service);
      this.#forget(name.viewers);
      for (const viewer of ownViewers(known)) {
        const own = this.#own.get(viewer) ?? new Map<string, DiscoveryResource>();
        this.#own.set(viewer, own.set(key, known.resource));
      }
    }
    for (const service of services) this.#scoped.forget(service);
    return services;
  }

  /** No workload has other scopes any more. */
  keep(inUse: ReadonlySet<NameScope>): void {
    this.#scoped.keep(inUse);
  }

  /** The names of the services in a scope, whoever may see them. */
  *within({ services }: NameScope): Iterable<readonly [key: string, name: ServiceName]> {
    for (const service of services) {
      for (const [key, { name }] of this.#byService.get(service) ?? []) yield [key, name];
    }
  }

  /**
   * What a workload of the namespace may know; nothing until all names were told once. `scope` is what its Sidecar leaves;
   * undefined: it has none.
   */
  of(namespace: string, scope?: NameScope): ResourceView {
    if (this.#suffixes === undefined) return emptyView;
    if (scope !== undefined) return this.#scoped.of(scope, namespace, () => this.#viewIn(scope, namespace));
    const own = this.#own.get(namespace);
    const key = own === undefined ? '' : namespace;
    let view = this.#views.get(key);
    if (view === undefined) {
      this.#shared ??= new ResourceList([this.#suffixes, ...this.#everybodys()]);
      view = new ResourceView(this.#shared, ...(own === undefined ? [] : [new ResourceList(own.values())]));
      this.#views.set(key, view);
    }
    return view;
  }

  *#everybodys(): Iterable<DiscoveryResource> {
    for (const { name, resource } of this.#known.values()) if (name.viewers === 'all') yield resource;
  }

  #viewIn({ services }: NameScope, namespace: string): ResourceView {
    const resources = [...services].flatMap((service) =>
      [...(this.#byService.get(service)?.values() ?? [])]
        .filter(({ name: { viewers } }) => viewers === 'all' || viewers.includes(namespace))
        .map(({ resource }) => resource),
    );
    return new ResourceView(new ResourceList([...(this.#suffixes ? [this.#suffixes] : []), ...resources]));
  }

  /** Gives the service whose name it was. */
  #remove(key: string): string | undefined {
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    this.#known.delete(key);
    const { service, viewers } = known.name;
    const ofService = this.#byService.get(service);
    ofService?.delete(key);
    if (ofService?.size === 0) this.#byService.delete(service);
    this.#forget(viewers);
    for (const viewer of ownViewers(known)) {
      const own = this.#own.get(viewer);
      own?.delete(key);
      if (own?.size === 0) this.#own.delete(viewer);
    }
    return service;
  }

  #forget(viewers: ZoneName['viewers']): void {
    if (viewers === 'all') {
      this.#shared = undefined;
      this.#views.clear();
    } else for (const viewer of viewers) this.#views.delete(viewer);
  }
}

function ownViewers({ name: { viewers } }: Known): readonly string[] {
  return viewers === 'all' ? [] : viewers;
}
