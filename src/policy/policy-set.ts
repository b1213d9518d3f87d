import type { AuthorizationPolicy } from './authorization-policy.ts';
import type { DestinationRule } from './destination-rule.ts';
import type { Gateway } from './gateway.ts';
import type { PeerAuthentication } from './peer-authentication.ts';
import type { ProxyConfig } from './proxy-config.ts';
import type { RequestAuthentication } from './request-authentication.ts';
import type { Sidecar } from './sidecar.ts';
import type { VirtualService } from './virtual-service.ts';

/** The policies of one compilation by kind, in no order that matters. */
export interface PolicySet {
  readonly peerAuthentications: readonly PeerAuthentication[];
  readonly requestAuthentications: readonly RequestAuthentication[];
  readonly authorizationPolicies: readonly AuthorizationPolicy[];
  readonly destinationRules: readonly DestinationRule[];
  readonly gateways: readonly Gateway[];
  readonly proxyConfigs: readonly ProxyConfig[];
  readonly virtualServices: readonly VirtualService[];
  readonly sidecars: readonly Sidecar[];
}

export const noPolicies: PolicySet = {
  peerAuthentications: [],
  requestAuthentications: [],
  authorizationPolicies: [],
  destinationRules: [],
  gateways: [],
  proxyConfigs: [],
  virtualServices: [],
  sidecars: [],
};
