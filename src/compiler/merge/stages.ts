import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import { Kept } from '../../diagnostics/kept.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { RequestAuthentication } from '../../policy/request-authentication.ts';
import type { GatewayIndex } from './gateway-index.ts';
import type { MissingDestination } from './missing-destinations.ts';
import type { PeerIndex } from './peer-index.ts';
import type { ProxyConfigIndex } from './proxy-config-index.ts';
import type { RuleIndex } from './rule-index.ts';
import type { SelectingPolicies } from './selecting-policies.ts';
import type { SidecarIndex } from './sidecar-index.ts';
import type { VirtualServiceIndex } from './virtual-service-index.ts';

/** The steps of merging, of which each is taken again only when its inputs are others. */
export class Stages {
  readonly peers = new Kept<PeerIndex>('peers');
  readonly sidecars = new Kept<SidecarIndex>('sidecars');
  readonly gateways = new Kept<GatewayIndex>('gateways');
  readonly virtualServices = new Kept<VirtualServiceIndex>('virtual services');
  readonly missing = new Kept<readonly MissingDestination[]>('missing destinations');
  readonly proxyConfigs = new Kept<ProxyConfigIndex>('proxy configs');
  readonly rules = new Kept<RuleIndex>('rules');
  readonly requests = new Kept<SelectingPolicies<RequestAuthentication>>('request authentications');
  readonly access = new Kept<SelectingPolicies<AuthorizationPolicy>>('authorization policies');
  readonly #checks = new Map<string, Kept<null>>();

  /** Tells what a check told of the same inputs. */
  check(name: string, inputs: readonly unknown[], tell: (bag: DiagnosticBag) => void, bag: DiagnosticBag): void {
    const kept = this.#checks.get(name) ?? new Kept<null>(`check of ${name}`);
    this.#checks.set(name, kept);
    kept.of(inputs, bag, (own) => {
      tell(own);
      return null;
    });
  }
}
