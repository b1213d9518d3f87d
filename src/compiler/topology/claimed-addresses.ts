import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { append } from '../../lib/append.ts';
import type { ServiceEntry } from '../../policy/topology-kinds.ts';
import { canonicalBlock } from './address.ts';
import type { Endpoint, Service } from './model.ts';
import { nameOf } from './object-name.ts';

type Unbound = Omit<Service, 'facts'>;

interface Resolved {
  readonly service: Unbound;
  /** Endpoints of known workloads, whether they are ready or not, and ready ones of others. */
  readonly known: readonly Endpoint[];
}

/**
 * Takes from ServiceEntries the addresses that belong to services of other namespaces: whoever may write an entry must not
 * lead the connections of those services elsewhere. A service's own namespace may.
 */
export class ClaimedAddresses {
  readonly #owners = new Map<string, Unbound[]>();
  readonly #bag: DiagnosticBag;
  readonly #told = new Set<string>();

  constructor(services: readonly Resolved[], bag: DiagnosticBag) {
    this.#bag = bag;
    for (const { service, known } of services) {
      if (service.kind !== 'Service' || service.isExternal) continue;
      // Clients of a headless service dial its pods.
      const dialed = service.isHeadless ? known.map(({ address }) => address) : service.addresses;
      for (const address of new Set(dialed)) append(this.#owners, address, service);
    }
  }

  /** The service with the addresses that it may claim. */
  permitted(service: Unbound): Unbound {
    if (service.kind !== 'ServiceEntry') return service;
    const refused = service.addresses.filter((address) => this.#ownerOf(address, service) !== undefined);
    if (refused.length === 0) return service;
    for (const address of refused) this.#report(service, address);
    return { ...service, addresses: service.addresses.filter((it) => !refused.includes(it)), lostAddresses: refused };
  }

  #ownerOf(address: string, { namespace }: Unbound): Unbound | undefined {
    const owners = this.#owners.get(address) ?? [];
    return owners.some((owner) => owner.namespace === namespace) ? undefined : owners[0];
  }

  /** Once an entry: each of its hosts claims the same. */
  #report(service: Unbound, address: string): void {
    const entry = service.object as ServiceEntry;
    const key = `${nameOf(entry)} ${address}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    const index = (entry.spec.addresses ?? []).findIndex((text) => canonicalBlock(text) === address);
    this.#bag.report('address-of-service', entry.document.spanOf(['spec', 'addresses', index]), {
      address,
      owner: this.#ownerOf(address, service)?.host ?? '',
    });
  }
}
