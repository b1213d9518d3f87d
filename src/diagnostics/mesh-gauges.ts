/** The specification's gauges of the mesh: what the last compilation found in its inputs. */
export const meshGauges = [
  { name: 'endpoint_no_pod', type: 'gauge', help: 'Endpoints of services whose address belongs to no known pod.' },
  {
    name: 'pilot_conflict_inbound_listener',
    type: 'gauge',
    help: 'Service ports whose protocol is ignored, because an older service declares another one for the same container port.',
  },
  {
    name: 'pilot_conflict_outbound_listener_http_over_current_tcp',
    type: 'gauge',
    help: 'Outbound listeners on which HTTP is left out, because an older TCP service has the same address and port.',
  },
  {
    name: 'pilot_conflict_outbound_listener_tcp_over_current_http',
    type: 'gauge',
    help: 'Outbound listeners on which TCP is left out, because an older HTTP service has the same address and port.',
  },
  {
    name: 'pilot_conflict_outbound_listener_tcp_over_current_tcp',
    type: 'gauge',
    help: 'Outbound listeners on which TCP is left out, because an older TCP service has the same address and port.',
  },
  {
    name: 'pilot_destrule_subsets',
    type: 'gauge',
    help: 'Subsets that are defined by several DestinationRules of one host.',
  },
  { name: 'pilot_duplicate_envoy_clusters', type: 'gauge', help: 'Clusters with the name of another cluster.' },
  { name: 'pilot_eds_no_instances', type: 'gauge', help: 'Clusters without any endpoint.' },
  { name: 'pilot_endpoint_not_ready', type: 'gauge', help: 'Endpoints that are left out because they are not ready.' },
  { name: 'pilot_no_ip', type: 'gauge', help: 'Pods that have no address yet.' },
  { name: 'pilot_virt_services', type: 'gauge', help: 'VirtualServices in the inputs.' },
  {
    name: 'pilot_vservice_dup_domain',
    type: 'gauge',
    help: 'Domains of VirtualServices that belong to an older VirtualService too.',
  },
] as const;

export type MeshGauge = (typeof meshGauges)[number]['name'];
