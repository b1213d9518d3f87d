import { Zone } from '../../dns/zone.ts';
import type { ResourceView } from '../../xds/resource-view.ts';
import type { NameChanges } from './name-changes.ts';
import { NameViews } from './name-views.ts';

/** The names of the mesh that are served, as the compile thread tells them. */
export class ServedNames {
  readonly #views = new NameViews();
  #zone: Zone | undefined;

  /** Undefined until all names were told once; those of a thread that has ended stay until the next one tells its own. */
  get zone(): Zone | undefined {
    return this.#zone;
  }

  /** The names that a workload of the namespace may know, as resources for its agent. */
  readonly viewOf = (namespace: string): ResourceView => this.#views.of(namespace);

  take(changes: NameChanges): void {
    this.#views.take(changes);
    const { isWhole, suffixes, changed, removed } = changes;
    const zone = isWhole || this.#zone === undefined ? new Zone(suffixes) : this.#zone;
    for (const key of removed) zone.set(key, undefined);
    for (const [key, name] of changed) zone.set(key, name);
    this.#zone = zone;
  }
}
