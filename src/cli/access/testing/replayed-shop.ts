const pod = (name: string, ip: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: ${name}}}
spec: {serviceAccountName: ${name}, containers: [{name: app}]}
status: {podIP: ${ip}}
---
`;
/** Namespace, service and two pods, whose addresses the lines of logs have. */
export const mesh = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {selector: {app: cart}, clusterIP: 10.96.0.1, ports: [{name: http, port: 80, targetPort: 8080}]}
---
${pod('cart', '10.0.0.1')}${pod('web', '10.0.0.2')}`;

/** An AuthorizationPolicy of the pod `cart`. */
export const policy = (rules: string, action = 'ALLOW', name = 'cart'): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  action: ${action}
  rules:
${rules}
`;
export const gets = '  - to: [{operation: {methods: [GET]}}]';

/** A line of the JSON form, of the proxy of `cart`. */
export const delivered = {
  ...{ method: 'GET', path: '/cart', protocol: 'HTTP/1.1', authority: 'cart', user_agent: 'curl', request_id: 'a' },
  ...{ response_code: 200, response_code_details: 'via_upstream', response_flags: null, x_forwarded_for: null },
  ...{ downstream_local_address: '10.0.0.1:8080', downstream_remote_address: '10.0.0.2:4000' },
  ...{ upstream_cluster: 'inbound|8080||', upstream_host: '10.0.0.1:8080', connection_termination_details: null },
  ...{ requested_server_name: 'outbound_.80_._.cart.shop.svc.cluster.local', start_time: '2026-11-27T10:00:00.000Z' },
  downstream_peer_uri_san: 'spiffe://cluster.local/ns/shop/sa/web',
};
export const denied = {
  ...delivered,
  ...{ response_code: 403, response_code_details: 'rbac_access_denied_matched_policy[none]', upstream_host: null },
};
