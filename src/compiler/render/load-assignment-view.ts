import type { EndpointIR, EndpointsIR, LocalityEndpointsIR } from '../ir/cluster.ts';
import type { AddressView } from './address-view.ts';
import { presentOrNone } from './present.ts';
import { meshSocket } from './tls-view.ts';

/** One of `pipe` and `socket` is set. */
export interface EndpointView {
  readonly weight?: number;
  /** Selects the transport socket for endpoints with a sidecar; absent: that for the others. */
  readonly socketMatch?: object;
  readonly pipe?: string;
  readonly socket?: AddressView;
}

/** Envoy's LocalityLbEndpoints; `locality` is absent where the inputs name none. */
export interface LocalityView {
  readonly locality?: object;
  readonly priority: number;
  readonly weight?: number;
  readonly endpoints: readonly EndpointView[];
}

/** What `load-assignment` places. */
export interface LoadAssignmentView {
  readonly clusterName: string;
  readonly localities: readonly LocalityView[];
}

export function loadAssignmentView(endpoints: EndpointsIR): LoadAssignmentView {
  return { clusterName: endpoints.clusterName, localities: endpoints.localities.map(localityView) };
}

function localityView(group: LocalityEndpointsIR): LocalityView {
  const locality = presentOrNone({
    region: group.region || undefined,
    zone: group.zone || undefined,
    sub_zone: group.subZone || undefined,
  });
  return {
    ...(locality === undefined ? {} : { locality }),
    priority: group.priority,
    ...(group.weight === undefined ? {} : { weight: group.weight }),
    endpoints: group.endpoints.map(endpointView),
  };
}

function endpointView(endpoint: EndpointIR): EndpointView {
  return {
    ...(endpoint.weight === undefined ? {} : { weight: endpoint.weight }),
    ...(endpoint.hasSidecar ? { socketMatch: meshSocket } : {}),
    ...(endpoint.port === 0
      ? { pipe: endpoint.address }
      : { socket: { address: endpoint.address, port: endpoint.port } }),
  };
}
