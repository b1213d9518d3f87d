import { selectors } from './addition.ts';
import { gateway } from './gateway-additions.ts';
import { authorizationPolicy, peerAuthentication, requestAuthentication } from './security-additions.ts';
import type { Additions } from './structural-schema.ts';
import { serviceEntry, sidecar } from './topology-additions.ts';
import { destinationRule, virtualService } from './traffic-additions.ts';

/** Additions to the schema of each kind: validation that an API server can do by itself. */
export const additions: Readonly<Record<string, Additions>> = {
  ...{ AuthorizationPolicy: authorizationPolicy, PeerAuthentication: peerAuthentication },
  ...{ RequestAuthentication: requestAuthentication, DestinationRule: destinationRule, Gateway: gateway },
  ...{ VirtualService: virtualService, Sidecar: sidecar, ServiceEntry: serviceEntry, ProxyConfig: selectors },
};
