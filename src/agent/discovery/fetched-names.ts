import { Zone } from '../../dns/zone.ts';
import type { DeltaResponse } from '../../xds/message.ts';
import { type NameEntry, readName, readSuffixes, suffixesKey } from '../../xds/name-resources.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';

/** The names of the mesh that the control plane sends, for the DNS server of the agent. They are kept on disk too. */
export class FetchedNames {
  readonly #changed: () => void;
  readonly #resources = new Map<string, DiscoveryResource>();
  #zone: Zone | undefined;

  /** `changed` is called when other names than before are to be kept. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get all(): readonly DiscoveryResource[] {
    return [...this.#resources.values()];
  }

  /** Versions by key, for a control plane that sends only what differs. */
  get versions(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.all.map(({ name, version }) => [name, version]));
  }

  /** Undefined while it is not known which names only the mesh has. */
  get zone(): Zone | undefined {
    return this.#zone;
  }

  /** Takes the place of everything; gives why one of them is no name, and then there are none. */
  restore(resources: readonly DiscoveryResource[]): string | undefined {
    this.clear();
    return this.#apply({ resources, removed: [] });
  }

  clear(): void {
    this.#resources.clear();
    this.#zone = undefined;
  }

  /** Gives why a response cannot be taken; what was there before stays then. */
  take(response: Pick<DeltaResponse, 'resources' | 'removed'>): string | undefined {
    const isOther = response.resources.length > 0 || response.removed.some((key) => this.#resources.has(key));
    const problem = this.#apply(response);
    if (problem === undefined && isOther) this.#changed();
    return problem;
  }

  #apply({ resources, removed }: Pick<DeltaResponse, 'resources' | 'removed'>): string | undefined {
    const entries = new Map<string, NameEntry>();
    let suffixes: readonly string[] | undefined;
    for (const { name: key, body } of resources) {
      if (key === suffixesKey) {
        suffixes = readSuffixes(body);
        if (suffixes === undefined) return `${key}: it names no suffix`;
        continue;
      }
      const entry = readName(body);
      if (entry === undefined) return `${key}: it is no name`;
      entries.set(key, entry);
    }
    for (const key of removed) this.#resources.delete(key);
    for (const { name, version, body } of resources) this.#resources.set(name, { name, version, body });
    // A control plane that serves no DNS has no suffixes either.
    if (removed.includes(suffixesKey)) this.#zone = undefined;
    if (suffixes !== undefined) this.#zone = this.#zoneOf(suffixes);
    else {
      for (const key of removed) this.#zone?.set(key, undefined);
      for (const [key, entry] of entries) this.#zone?.set(key, { ...entry, viewers: 'all' });
    }
    return undefined;
  }

  #zoneOf(suffixes: readonly string[]): Zone {
    const zone = new Zone(suffixes);
    for (const { name: key, body } of this.#resources.values()) {
      const entry = key === suffixesKey ? undefined : readName(body);
      if (entry !== undefined) zone.set(key, { ...entry, viewers: 'all' });
    }
    return zone;
  }
}
