import type { Settings } from '../../config/settings.ts';
import type { VirtualService } from '../policy/virtual-service.ts';
import { isVisible } from '../topology/visibility.ts';
import { byAge } from './policy-order.ts';

/** VirtualServices by the namespaces that see them. */
export class VirtualServiceIndex {
  readonly #services: readonly VirtualService[];
  readonly #exportToDefault: readonly string[];
  readonly #seen = new Map<string, readonly VirtualService[]>();

  constructor(services: readonly VirtualService[], { defaultVirtualServiceExportTo }: Settings) {
    this.#services = byAge(services);
    this.#exportToDefault = defaultVirtualServiceExportTo;
  }

  /** Oldest first. A delegate is seen by whoever may delegate to it. */
  seenFrom(namespace: string): readonly VirtualService[] {
    let seen = this.#seen.get(namespace);
    if (seen === undefined) {
      seen = this.#services.filter(({ namespace: owner, spec }) =>
        isVisible(spec.exportTo?.length ? spec.exportTo : this.#exportToDefault, owner, namespace),
      );
      this.#seen.set(namespace, seen);
    }
    return seen;
  }
}
