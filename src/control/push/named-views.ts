import { emptyView, type ResourceView } from '../../xds/resource-view.ts';

/** Adds the names of the mesh to what a proxy is served; of one pair of the two, it is the same object. */
export class NamedViews<Views extends { readonly names: ResourceView }> {
  readonly #made = new WeakMap<Views, WeakMap<ResourceView, Views>>();

  of(views: Views, names: ResourceView): Views {
    if (names === emptyView) return views;
    const byNames = this.#made.get(views) ?? new WeakMap<ResourceView, Views>();
    this.#made.set(views, byNames);
    const made = byNames.get(names) ?? { ...views, names };
    byNames.set(names, made);
    return made;
  }
}
