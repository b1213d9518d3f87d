import type { MeshGauge } from '../diagnostics/mesh-gauges.ts';

/** Gauges of the mesh, folders of `fixtures/ok` that move them, and their values there. */
export const meshFigureSamples: readonly (readonly [gauge: MeshGauge, fixture: string, expected: number])[] = [
  ['endpoint_no_pod', 'service-endpoints-object', 1],
  ['pilot_conflict_inbound_listener', 'service-inbound-port-conflict', 1],
  ['pilot_conflict_outbound_listener_http_over_current_tcp', 'lower-tcp-before-http-without-detection', 1],
  ['pilot_conflict_outbound_listener_tcp_over_current_http', 'lower-http-before-tcp-without-detection', 1],
  ['pilot_conflict_outbound_listener_tcp_over_current_tcp', 'lower-tcp-over-tcp', 1],
  ['pilot_destrule_subsets', 'rule-two-rules-merge', 1],
  ['pilot_eds_no_instances', 'authz-custom-http', 3],
  ['pilot_endpoint_not_ready', 'service-endpoint-unready', 1],
  ['pilot_no_ip', 'authz-of-another-namespace', 1],
  ['pilot_virt_services', 'gateway-bind', 1],
  ['pilot_vservice_dup_domain', 'lower-domain-of-two-services', 1],
];

/** `pilot_duplicate_envoy_clusters` is 1 here. */
export const twoPortsOfOneNumber = `apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop}
spec: {serviceAccountName: cart, containers: [{name: app}, {name: mesh-proxy}]}
status: {podIP: 10.0.0.1, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Service
metadata: {name: bank, namespace: shop}
spec: {selector: {app: bank}, ports: [{name: http-a, port: 80}, {name: http-b, port: 80}]}
`;
