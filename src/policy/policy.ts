import type { AuthorizationPolicy } from './authorization-policy.ts';
import type { DestinationRule } from './destination-rule.ts';
import type { Gateway } from './gateway.ts';
import type { PeerAuthentication } from './peer-authentication.ts';
import type { ProxyConfig } from './proxy-config.ts';
import type { RequestAuthentication } from './request-authentication.ts';
import type { Sidecar } from './sidecar.ts';
import type { TopologyObject } from './topology-kinds.ts';
import type { VirtualService } from './virtual-service.ts';

/** An object that says how traffic is to be treated. */
export type Policy =
  | PeerAuthentication
  | RequestAuthentication
  | AuthorizationPolicy
  | DestinationRule
  | Gateway
  | ProxyConfig
  | Sidecar
  | VirtualService;

/** An object of the input whose schema and rules hold. */
export type ValidObject = Policy | TopologyObject;
