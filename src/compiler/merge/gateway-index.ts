import type { Settings } from '../../config/settings.ts';
import type { Gateway } from '../../policy/gateway.ts';
import type { Workload } from '../topology/model.ts';
import { selects } from '../topology/selector.ts';
import { byAge } from './policy-order.ts';

/** Gateway objects by the gateway workloads that they are for (specification, Gateway). */
export class GatewayIndex {
  readonly #gateways: readonly Gateway[];
  readonly #isScoped: boolean;

  constructor(gateways: readonly Gateway[], { scopeGatewayToNamespace }: Settings) {
    this.#gateways = byAge(gateways);
    this.#isScoped = scopeGatewayToNamespace;
  }

  /** Oldest first. Without a selector a Gateway is for every gateway workload that it may reach. */
  of({ namespace, labels }: Pick<Workload, 'namespace' | 'labels'>): readonly Gateway[] {
    return this.#gateways.filter(
      (gateway) =>
        (!this.#isScoped || gateway.namespace === namespace) &&
        (gateway.standard?.namespace ?? namespace) === namespace &&
        selects(gateway.spec.selector, labels),
    );
  }
}
