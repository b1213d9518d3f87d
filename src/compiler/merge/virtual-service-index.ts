import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { isVisible } from '../topology/visibility.ts';
import { withDelegates } from './delegation.ts';
import type { EffectiveVirtualService } from './effective-virtual-service.ts';
import { byAge } from './policy-order.ts';

/** VirtualServices by the namespaces that see them. */
export class VirtualServiceIndex {
  readonly #services: readonly EffectiveVirtualService[];
  readonly #exportToDefault: readonly string[];
  readonly #seen = new Map<string, readonly EffectiveVirtualService[]>();

  constructor(services: readonly VirtualService[], settings: Settings, bag: DiagnosticBag) {
    this.#services = withDelegates(byAge(services), settings, bag);
    this.#exportToDefault = settings.defaultVirtualServiceExportTo;
  }

  /** Oldest first. */
  seenFrom(namespace: string): readonly EffectiveVirtualService[] {
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
