import { compareStrings } from '../../lib/sort.ts';
import type { Delivery, EnvoyConfig, Resource, ResourceSet } from './resource.ts';

/** What a configuration is put together of, beside its endpoints. */
export interface ConfigParts extends Pick<EnvoyConfig, 'namespace' | 'workload' | 'own' | 'shared' | 'delivery'> {
  readonly concurrency?: number | undefined;
  /** Asked for each time: nobody needs it of the proxies of a control plane. */
  readonly bootstrap: () => Resource;
  /** Listeners of the sets that this proxy does without. */
  readonly leftOut: ReadonlySet<Resource>;
}

type Lists = Partial<Record<keyof ResourceSet, readonly Resource[]>>;

/** A configuration whose lists are put together when they are first asked for: most proxies of a fleet did not change. */
export class ProxyConfig implements EnvoyConfig {
  readonly namespace: string;
  readonly workload: string;
  readonly concurrency: number | undefined;
  readonly own: ResourceSet;
  readonly shared: ResourceSet;
  readonly ownEndpoints: readonly Resource[];
  readonly sharedEndpoints: readonly Resource[];
  readonly delivery: Delivery;
  readonly #parts: ConfigParts;
  readonly #lists: Lists;
  #endpoints: readonly Resource[] | undefined;

  constructor(
    parts: ConfigParts,
    ownEndpoints: readonly Resource[],
    sharedEndpoints: readonly Resource[],
    lists: Lists = {},
  ) {
    this.namespace = parts.namespace;
    this.workload = parts.workload;
    this.concurrency = parts.concurrency;
    this.own = parts.own;
    this.shared = parts.shared;
    this.ownEndpoints = ownEndpoints;
    this.sharedEndpoints = sharedEndpoints;
    this.delivery = parts.delivery;
    this.#parts = parts;
    this.#lists = lists;
  }

  /** The same configuration otherwise, with the same lists. */
  withEndpoints(ownEndpoints: readonly Resource[], sharedEndpoints: readonly Resource[]): ProxyConfig {
    return new ProxyConfig(this.#parts, ownEndpoints, sharedEndpoints, this.#lists);
  }

  get bootstrap(): Resource {
    return this.#parts.bootstrap();
  }

  get hasAllListeners(): boolean {
    return this.#parts.leftOut.size === 0;
  }

  get listeners(): readonly Resource[] {
    return this.#list('listeners');
  }

  get clusters(): readonly Resource[] {
    return this.#list('clusters');
  }

  get routes(): readonly Resource[] {
    return this.#list('routes');
  }

  get endpoints(): readonly Resource[] {
    this.#endpoints ??= merged(this.ownEndpoints, this.sharedEndpoints);
    return this.#endpoints;
  }

  #list(name: keyof ResourceSet): readonly Resource[] {
    this.#lists[name] ??= merged(this.#taken(this.own[name]), this.#taken(this.shared[name]));
    return this.#lists[name];
  }

  #taken(resources: readonly Resource[]): readonly Resource[] {
    const { leftOut } = this.#parts;
    return leftOut.size === 0 ? resources : resources.filter((resource) => !leftOut.has(resource));
  }
}

/** Two sorted lists as one; a resource that both have is there once. */
function merged(a: readonly Resource[], b: readonly Resource[]): readonly Resource[] {
  if (a.length === 0) return b;
  const out: Resource[] = [];
  let j = 0;
  for (const resource of a) {
    for (let next = b[j]; next !== undefined && compareStrings(next.name, resource.name) < 0; next = b[++j])
      out.push(next);
    if (b[j] === resource) j++;
    out.push(resource);
  }
  for (; j < b.length; j++) out.push(b[j] as Resource);
  return out;
}
