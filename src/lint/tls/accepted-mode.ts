import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Service } from '../../compiler/topology/model.ts';
import { hasLabels, selects } from '../../compiler/topology/selector.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import type { MtlsMode, PeerAuthentication } from '../../policy/peer-authentication.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import { decidingScopes } from './deciding-scopes.ts';
import { hostOf } from './served-ports.ts';

/** A mode that holds for every port of a service, and the policy that sets it. */
export interface AcceptedMode {
  readonly mode: MtlsMode;
  readonly policy: PeerAuthentication;
}

/** Tells the mode of services of which the input has no workload, from the policies of their namespace and of the mesh. */
export class AcceptedModes {
  readonly #snapshot: Snapshot;
  readonly #scopes: ReadonlyMap<string, PeerAuthentication>;
  readonly #selecting = new Map<string, PeerAuthentication[]>();
  readonly #services: ReadonlyMap<string, Service>;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    const { peerAuthentications } = snapshot.policies;
    this.#scopes = decidingScopes(peerAuthentications);
    for (const policy of peerAuthentications) {
      if (!hasLabels(policy.spec.selector)) continue;
      const own = this.#selecting.get(policy.namespace) ?? [];
      this.#selecting.set(policy.namespace, own);
      own.push(policy);
    }
    this.#services = new Map(snapshot.topology.services.map((service) => [service.host, service]));
  }

  /** Undefined where it cannot be told, and for hosts outside of the cluster. */
  of(rule: DestinationRule): AcceptedMode | undefined {
    const { rootNamespace, clusterDomain } = this.#snapshot.settings;
    const host = hostOf(rule, this.#snapshot);
    const [name, namespace, ...domain] = host.split('.');
    if (name === undefined || namespace === undefined || name.includes('*')) return undefined;
    const service = this.#services.get(host);
    if (domain.join('.') !== `svc.${clusterDomain}` || (service && service.kind !== 'Service')) return undefined;
    const scope = this.#scopes.get(namespace) ?? this.#scopes.get(rootNamespace);
    const exceptions = this.#selecting.get(namespace) ?? [];
    const policy = exceptions.length === 0 ? scope : exceptionFor(service, exceptions);
    const { mode = 'UNSET' } = policy?.spec.mtls ?? {};
    return policy === undefined || mode === 'UNSET' ? undefined : { mode, policy };
  }
}

/** The one policy that selects every pod of the service, where no other policy with a selector is there. */
function exceptionFor(
  service: Service | undefined,
  [policy, ...others]: readonly PeerAuthentication[],
): PeerAuthentication | undefined {
  const { selector = {} } = (service?.object as kinds.Service | undefined)?.spec ?? {};
  if (policy === undefined || others.length > 0 || policy.spec.portLevelMtls !== undefined) return undefined;
  return selects(policy.spec.selector?.matchLabels, selector) ? policy : undefined;
}
