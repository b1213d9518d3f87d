import { selectors } from './addition.ts';
import { gateway } from './gateway-additions.ts';
import { authorizationPolicy, peerAuthentication, requestAuthentication } from './security-additions.ts';
import type { Additions } from './structural-schema.ts';
import { serviceEntry, sidecar } from './topology-additions.ts';
import { destinationRule, virtualService } from './traffic-additions.ts';

/** What each kind adds to its schema: the rules of its validation that an API server can check for itself. */
export const additions: Readonly<Record<string, Additions>> = {
  ...{ AuthorizationPolicy: authorizationPolicy, PeerAuthentication: peerAuthentication },
  ...{ RequestAuthentication: requestAuthentication, DestinationRule: destinationRule, Gateway: gateway },
  ...{ VirtualService: virtualService, Sidecar: sidecar, ServiceEntry: serviceEntry, ProxyConfig: selectors },
};
