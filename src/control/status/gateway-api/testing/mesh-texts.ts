const group = 'gateway.networking.k8s.io';

/** An object of the Gateway API `<namespace>/<name>`, or `<name>` of a GatewayClass, with a specification in flow style. */
export function standard(kind: string, path: string, spec: string, created = ''): string {
  const [name, namespace] = path.split('/').reverse();
  const metadata = [`name: ${name}`, ...(namespace === undefined ? [] : [`namespace: ${namespace}`])];
  if (created !== '') metadata.push(`creationTimestamp: "${created}T00:00:00Z"`);
  return `---
apiVersion: ${group}/v1
kind: ${kind}
metadata: {${metadata.join(', ')}}
spec: {${spec}}
`;
}

/** Gateway `shop/edge` of class `mesh`. */
export function edge(listeners: readonly string[], more = ''): string {
  return standard('Gateway', 'shop/edge', `gatewayClassName: mesh, listeners: [${listeners.join(', ')}]${more}`);
}

/** A route `shop/<name>` to `web`, unless another backend is named. */
export function route(name: string, more = '', { kind = 'HTTPRoute', backend = 'name: web, port: 80' } = {}): string {
  const parents = more.includes('parentRefs') ? '' : 'parentRefs: [{name: edge}], ';
  return standard(kind, `shop/${name}`, `${parents}${more}rules: [{backendRefs: [{${backend}}]}]`);
}

/** The proxy of `shop/edge` with its Service, and the backend `web`. */
export const proxies = `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: shop, labels: {${group}/gateway-name: edge, app: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {phase: Running, podIP: 10.0.1.1}
---
apiVersion: v1
kind: Service
metadata: {name: edges, namespace: shop}
spec: {clusterIP: 10.96.0.9, selector: {app: edge}, ports: [{name: http, port: 80}, {name: https, port: 443}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {clusterIP: 10.96.0.1, selector: {app: web}, ports: [{name: http, port: 80}]}
`;

/** A Secret of a listener, `<namespace>/<name>`. */
export function secret(path: string, data: Readonly<Record<string, string>>): string {
  const [namespace, name] = path.split('/');
  const encoded = Object.entries(data).map(([key, text]) => `${key}: ${Buffer.from(text).toString('base64')}`);
  return `---
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: ${namespace}}
type: kubernetes.io/tls
data: {${encoded.join(', ')}}
`;
}
