import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { ResourceList } from '../../xds/resource-list.ts';
import type { PlainList, PlainResource } from './plain-snapshot.ts';

/** A list that was sent, and its resources in the order in which they were. */
export interface SentList {
  readonly list: ConfigurationList;
  readonly made: ResourceList;
  readonly resources: readonly KnownResource[];
}

interface KnownResource {
  readonly key: string;
  readonly resource: DiscoveryResource;
  /** How many of the lists in use have it. */
  uses: number;
}

/** The resources of all lists in use: a body is sent once, whatever lists it stands in. */
export class KnownResources {
  readonly #byKey = new Map<string, KnownResource>();

  /** The list that is meant; its resources are known until it is removed. */
  add({ id, list, resources: sent, base: named, places }: PlainList, base: SentList | undefined): SentList {
    if (named !== undefined && base === undefined) throw new Error(`the base ${named} of the list ${id} is not known`);
    const resources = [...(base?.resources ?? [])];
    for (const [i, resource] of sent.entries()) resources[places?.[i] ?? i] = this.#known(list, resource);
    for (const known of resources) known.uses++;
    return { list, made: new ResourceList(resources.map(({ resource }) => resource)), resources };
  }

  remove({ resources }: SentList): void {
    for (const known of resources) if (--known.uses === 0) this.#byKey.delete(known.key);
  }

  #known(list: ConfigurationList, { name, version, body }: PlainResource): KnownResource {
    const key = `${list}\n${name}\n${version}`;
    let known = this.#byKey.get(key);
    if (known === undefined) {
      if (body === undefined) throw new Error(`${list} "${name}" is named as known, and was not sent before`);
      known = { key, resource: { name, version, body }, uses: 0 };
      this.#byKey.set(key, known);
    }
    return known;
  }
}
