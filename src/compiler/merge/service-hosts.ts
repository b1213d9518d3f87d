import { append } from '../../lib/append.ts';
import { fullerName } from '../../lib/fuller-name.ts';
import { KnownNames } from '../../lib/known-names.ts';
import { NearNames } from '../../lib/near-names.ts';
import { isWildcard, subsetOf } from '../topology/host.ts';
import type { Service } from '../topology/model.ts';

/** Services by their hosts, among which thousands of hosts may be looked for that nobody declares. */
export class ServiceHosts {
  readonly #services = new Map<string, Service[]>();
  readonly #under = new Map<string, readonly Service[]>();
  #siblings: ReadonlyMap<string, NearNames> | undefined;
  #byDomain: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(services: readonly Service[]) {
    for (const service of services) {
      append(this.#services, service.host, service);
      for (const { host } of service.aliases) append(this.#services, host, service);
    }
  }

  /** The services of that very host. */
  get(host: string): readonly Service[] | undefined {
    return this.#services.get(host);
  }

  /** The services of the hosts that a host stands for: of itself, or of all that a wildcard covers. */
  under(host: string): readonly Service[] {
    if (!isWildcard(host)) return this.get(host) ?? [];
    const found = this.#under.get(host) ?? this.#coveredBy(host).flatMap((name) => this.get(name) ?? []);
    this.#under.set(host, found);
    return found;
  }

  /** Whether a service has the host, one that it covers, or one that covers it. */
  meets(host: string): boolean {
    if (this.#services.has(host) || (isWildcard(host) && this.under(host).length > 0)) return true;
    return Array.from({ length: host.length + 1 }, (_, i) => `*${host.slice(i)}`).some((name) =>
      this.#services.has(name),
    );
  }

  /** The host that a mistyped one was meant to be: names of one domain differ by their first part alone. */
  nearest(host: string): string | undefined {
    const [name = ''] = host.split('.', 1);
    const domain = host.slice(name.length);
    if (domain === '') return undefined;
    this.#siblings ??= siblings(this.#services.keys());
    const near = this.#siblings.get(domain)?.nearest(name);
    return near === undefined ? undefined : `${near}${domain}`;
  }

  /** The host of the same domain whose name has more words than that of an unknown one, or fewer; where there is one. */
  fuller(host: string): string | undefined {
    const [name = ''] = host.split('.', 1);
    const domain = host.slice(name.length);
    this.#byDomain ??= byDomains(this.#services.keys());
    const names = (this.#byDomain.get(domain) ?? []).map((other) => other.slice(0, -domain.length));
    const found = domain === '' ? undefined : fullerName(name, names);
    return found === undefined ? undefined : `${found}${domain}`;
  }

  /** Whether it is likelier that an unknown host is misspelt than that the input leaves it out. */
  misspells(host: string): boolean {
    const near = this.nearest(host);
    if (near === undefined) return false;
    const [name = '', known = ''] = [host, near].map((text) => text.split('.', 1)[0]);
    return new KnownNames([known]).meantBy(name) !== undefined;
  }

  /** The one host beside which a missing one would be, all alone in their domain: that of a namespace, for example. */
  onlyBeside(host: string): string | undefined {
    this.#byDomain ??= byDomains(this.#services.keys());
    const beside = host.includes('.') ? this.#byDomain.get(host.slice(host.indexOf('.'))) : undefined;
    return beside?.length === 1 ? beside[0] : undefined;
  }

  #coveredBy(wildcard: string): readonly string[] {
    if (!wildcard.startsWith('*.')) return [...this.#services.keys()].filter((name) => subsetOf(name, wildcard));
    this.#byDomain ??= byDomains(this.#services.keys());
    return this.#byDomain.get(wildcard.slice(1)) ?? [];
  }
}

/** The first parts of hosts, by all that follows. */
function siblings(hosts: Iterable<string>): ReadonlyMap<string, NearNames> {
  const names = new Map<string, string[]>();
  for (const host of hosts) {
    const [name = ''] = host.split('.', 1);
    append(names, host.slice(name.length), name);
  }
  return new Map([...names].map(([domain, all]) => [domain, new NearNames(all)]));
}

/** Hosts by each of the domains that they are in, with the dot before it. */
function byDomains(hosts: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const host of hosts) {
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) append(found, host.slice(dot), host);
  }
  return found;
}
