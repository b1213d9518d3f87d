import { compareStrings } from '../../lib/sort.ts';
import type { Delivery, EnvoyConfig, Resource, ResourceSet } from './resource.ts';

/** What a configuration is put together of. */
export interface ConfigParts
  extends Omit<EnvoyConfig, keyof ResourceSet | 'bootstrap' | 'endpoints' | 'hasAllListeners'> {
  /** Asked for each time: nobody needs it of the proxies of a control plane. */
  readonly bootstrap: () => Resource;
  /** Listeners of the sets that this proxy does without. */
  readonly leftOut: ReadonlySet<Resource>;
}

/** A configuration whose lists are put together when they are first asked for: most proxies of a fleet did not change. */
export function configOf({ leftOut, ...parts }: ConfigParts): EnvoyConfig {
  return new ProxyConfig(parts, leftOut);
}

class ProxyConfig implements EnvoyConfig {
  readonly namespace: string;
  readonly workload: string;
  readonly concurrency: number | undefined;
  readonly own: ResourceSet;
  readonly shared: ResourceSet;
  readonly ownEndpoints: readonly Resource[];
  readonly sharedEndpoints: readonly Resource[];
  readonly delivery: Delivery;
  readonly #bootstrap: () => Resource;
  readonly #leftOut: ReadonlySet<Resource>;
  readonly #lists: Partial<Record<keyof ResourceSet, readonly Resource[]>> = {};
  #endpoints: readonly Resource[] | undefined;

  constructor(
    { namespace, workload, bootstrap, own, shared, ...parts }: Omit<ConfigParts, 'leftOut'>,
    leftOut: ConfigParts['leftOut'],
  ) {
    this.namespace = namespace;
    this.workload = workload;
    this.#bootstrap = bootstrap;
    this.concurrency = parts.concurrency;
    this.own = own;
    this.shared = shared;
    this.ownEndpoints = parts.ownEndpoints;
    this.sharedEndpoints = parts.sharedEndpoints;
    this.delivery = parts.delivery;
    this.#leftOut = leftOut;
  }

  get bootstrap(): Resource {
    return this.#bootstrap();
  }

  get hasAllListeners(): boolean {
    return this.#leftOut.size === 0;
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
    return this.#leftOut.size === 0 ? resources : resources.filter((resource) => !this.#leftOut.has(resource));
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
