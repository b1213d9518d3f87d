import type { Settings } from '../../config/settings.ts';
import type { VirtualService } from '../policy/virtual-service.ts';
import { isVisible } from '../topology/visibility.ts';
import type { EffectiveVirtualService, HttpBlock } from './effective-virtual-service.ts';
import { byAge } from './policy-order.ts';

/** VirtualServices by the namespaces that see them. */
export class VirtualServiceIndex {
  readonly #services: readonly EffectiveVirtualService[];
  readonly #exportToDefault: readonly string[];
  readonly #seen = new Map<string, readonly EffectiveVirtualService[]>();

  constructor(services: readonly VirtualService[], { defaultVirtualServiceExportTo }: Settings) {
    this.#services = byAge(services).map(withBlocks);
    this.#exportToDefault = defaultVirtualServiceExportTo;
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

const known = new WeakMap<VirtualService, EffectiveVirtualService>();

/** The same object again for the same VirtualService. */
function withBlocks(service: VirtualService): EffectiveVirtualService {
  let whole = known.get(service);
  if (whole === undefined) {
    const http = service.spec.http ?? [];
    const blocks = http.map((route, i): HttpBlock => ({ route, owner: service, path: ['spec', 'http', i] }));
    whole = { ...service, blocks };
    known.set(service, whole);
  }
  return whole;
}
