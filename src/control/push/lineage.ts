import type { DiscoveryResource } from '../../xds/resource.ts';
import { emptyList, type ResourceList } from '../../xds/resource-list.ts';
import { emptyView, type ResourceView } from '../../xds/resource-view.ts';

/** What came before a resource of a list; `none`: nothing that may be served in its place. */
type Before = DiscoveryResource | 'none';

/** What is known of versions of resources. */
export interface LineageRules {
  /** What came before the version must not come back: the version takes access away. */
  isFinal(resource: DiscoveryResource): boolean;
  /** Somebody refuses the version: it is none to go back to. */
  isRefused(resource: DiscoveryResource): boolean;
}

/**
 * Remembers which version of a resource came before the one in a list. Resources of different proxies may have the same name,
 * so each list has its own history. If lists with different histories become one list, the previous versions are forgotten.
 */
export class Lineage {
  readonly #before = new WeakMap<ResourceList, ReadonlyMap<string, Before>>();
  readonly #noted = new WeakMap<ResourceList, WeakSet<ResourceList>>();

  /** A proxy is served one view after another one; the first one comes after `emptyView`. */
  note(from: ResourceView, to: ResourceView, rules: LineageRules): void {
    for (const [i, part] of to.parts.entries()) {
      const old = from.parts[i] ?? emptyList;
      const noted = this.#noted.get(part) ?? new WeakSet();
      this.#noted.set(part, noted);
      if (old === part || noted.has(old)) continue;
      noted.add(old);
      this.#join(part, from === emptyView ? new Map() : this.#changes(old, part, rules));
    }
  }

  /** What may be served in place of the resource of this name; undefined: nothing. */
  before(list: ResourceList, name: string): DiscoveryResource | undefined {
    const before = this.#before.get(list)?.get(name);
    return before === 'none' ? undefined : before;
  }

  #changes(from: ResourceList, to: ResourceList, { isFinal, isRefused }: LineageRules): Map<string, Before> {
    const older = this.#before.get(from) ?? new Map<string, Before>();
    const before = new Map([...older].filter(([name]) => to.get(name) !== undefined));
    for (const resource of from.changesTo(to).changed) {
      const { name } = resource;
      const old = from.get(name);
      if (old === undefined || isFinal(resource)) before.set(name, 'none');
      else before.set(name, isRefused(old) ? (older.get(name) ?? 'none') : old);
    }
    return before;
  }

  #join(list: ResourceList, lineage: ReadonlyMap<string, Before>): void {
    const known = this.#before.get(list);
    if (known === undefined) {
      this.#before.set(list, lineage);
      return;
    }
    const names = new Set([...known.keys(), ...lineage.keys()]);
    const isSame = (name: string): boolean => versionOf(known.get(name)) === versionOf(lineage.get(name));
    const joined = [...names].map((name) => [name, isSame(name) ? (known.get(name) ?? 'none') : 'none'] as const);
    this.#before.set(list, new Map(joined));
  }
}

function versionOf(before: Before | undefined): string {
  return before === undefined || before === 'none' ? '' : before.version;
}
