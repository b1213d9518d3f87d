import type { DiscoveryResource, DiscoveryType } from './resource.ts';
import { emptyList, ResourceList } from './resource-list.ts';
import { emptyView, ResourceView } from './resource-view.ts';

/** Where a stream sees the resources of one type. */
export interface ViewSource {
  readonly type: DiscoveryType;
  /** The same object as long as nothing changes. */
  readonly view: ResourceView;
  /** What a client keeps to tell another server how new its resources are; absent: nothing. */
  readonly position?: string | undefined;
}

/** The resources of one type, the same for everybody, and who wants to know when they change. */
export class ResourceStore implements ViewSource {
  readonly type: DiscoveryType;
  #list = emptyList;
  #view = emptyView;
  readonly #listeners = new Set<() => void>();

  constructor(type: DiscoveryType) {
    this.type = type;
  }

  get view(): ResourceView {
    return this.#view;
  }

  /** Replaces all resources; listeners hear of it once, and not at all when nothing differs. */
  replace(resources: Iterable<DiscoveryResource>): void {
    const next = new ResourceList(resources);
    const { changed, removed } = this.#list.changesTo(next);
    if (changed.length === 0 && removed.length === 0) return;
    this.#list = next;
    this.#view = new ResourceView(next);
    for (const listener of this.#listeners) listener();
  }

  /** Gives the function that ends the subscription. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
