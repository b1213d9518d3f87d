import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import { resolveShortName } from '../topology/host.ts';
import { isVisible } from '../topology/visibility.ts';
import { withDelegates } from './delegation.ts';
import type { ClientScope } from './effective.ts';
import type { EffectiveVirtualService } from './effective-virtual-service.ts';
import { importsRoutes } from './egress.ts';
import { type EgressHost, EgressHosts } from './egress-hosts.ts';
import { byAge } from './policy-order.ts';

/** VirtualServices by the namespaces that see them. */
export class VirtualServiceIndex {
  readonly #services: readonly EffectiveVirtualService[];
  readonly #exportToDefault: readonly string[];
  readonly #clusterDomain: string;
  #hosts: { readonly ofAny: EgressHosts; readonly ofNamespaces: EgressHosts } | undefined;
  readonly #seen = new Map<string, readonly EffectiveVirtualService[]>();

  constructor(services: readonly VirtualService[], settings: Settings, bag: DiagnosticBag) {
    this.#services = withDelegates(byAge(services), settings, bag);
    this.#clusterDomain = settings.clusterDomain;
    this.#exportToDefault = settings.defaultVirtualServiceExportTo;
  }

  /** All of them, oldest first. */
  get all(): readonly EffectiveVirtualService[] {
    return this.#services;
  }

  /** What a client sees and imports, oldest first. */
  seenBy({ namespace, egress }: Pick<ClientScope, 'namespace' | 'egress'>): readonly EffectiveVirtualService[] {
    const seen = this.#seenFrom(namespace);
    if (egress === undefined) return seen;
    return seen.filter((routes) => egress.some((listener) => importsRoutes(listener, routes, this.#clusterDomain)));
  }

  /** Whether there are routes for a host that an entry of `egress` names. */
  hasHost({ namespace, host }: EgressHost): boolean {
    this.#hosts ??= this.#routeHosts();
    const { ofAny, ofNamespaces } = this.#hosts;
    return (namespace === '*' ? ofAny : ofNamespaces).meets(namespace, host);
  }

  #routeHosts() {
    const named = this.#services.flatMap(({ namespace, spec }) =>
      (spec.hosts ?? []).map((host) => ({ namespace, host: resolveShortName(host, namespace, this.#clusterDomain) })),
    );
    return {
      ofAny: new EgressHosts(named.map(({ host }) => ({ namespace: '*', host }))),
      ofNamespaces: new EgressHosts(named),
    };
  }

  #seenFrom(namespace: string): readonly EffectiveVirtualService[] {
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
