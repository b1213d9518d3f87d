import type { ZoneName } from '../../dns/zone-name.ts';
import { nameResource, suffixesResource } from '../../xds/name-resources.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { ResourceList } from '../../xds/resource-list.ts';
import { emptyView, ResourceView } from '../../xds/resource-view.ts';
import type { NameChanges } from './name-changes.ts';

interface Known {
  readonly viewers: ZoneName['viewers'];
  readonly resource: DiscoveryResource;
}

/**
 * The names of the mesh as resources, by the namespace of who sees them: those that everybody sees are one list, and each
 * namespace that sees others has a list of its own. A view is the same object until a name in it is another one.
 */
export class NameViews {
  readonly #known = new Map<string, Known>();
  #suffixes: DiscoveryResource | undefined;
  #shared: ResourceList | undefined;
  readonly #own = new Map<string, Map<string, DiscoveryResource>>();
  readonly #views = new Map<string, ResourceView>();

  take({ isWhole, suffixes, changed, removed }: NameChanges): void {
    if (isWhole) {
      this.#known.clear();
      this.#own.clear();
      this.#forget('all');
      this.#suffixes = suffixesResource(suffixes);
    }
    for (const key of removed) this.#remove(key);
    for (const [key, name] of changed) {
      this.#remove(key);
      const known = { viewers: name.viewers, resource: nameResource(key, name) };
      this.#known.set(key, known);
      this.#forget(name.viewers);
      for (const viewer of ownViewers(known)) {
        const own = this.#own.get(viewer) ?? new Map<string, DiscoveryResource>();
        this.#own.set(viewer, own.set(key, known.resource));
      }
    }
  }

  /** What a workload of the namespace may know; nothing until all names were told once. */
  of(namespace: string): ResourceView {
    if (this.#suffixes === undefined) return emptyView;
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
    for (const { viewers, resource } of this.#known.values()) if (viewers === 'all') yield resource;
  }

  #remove(key: string): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    this.#known.delete(key);
    this.#forget(known.viewers);
    for (const viewer of ownViewers(known)) {
      const own = this.#own.get(viewer);
      own?.delete(key);
      if (own?.size === 0) this.#own.delete(viewer);
    }
  }

  #forget(viewers: ZoneName['viewers']): void {
    if (viewers === 'all') {
      this.#shared = undefined;
      this.#views.clear();
    } else for (const viewer of viewers) this.#views.delete(viewer);
  }
}

function ownViewers({ viewers }: Known): readonly string[] {
  return viewers === 'all' ? [] : viewers;
}
