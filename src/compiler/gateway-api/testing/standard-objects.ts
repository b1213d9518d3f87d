/** A Gateway `infra/edge` with these listeners (YAML, flow style). */
export const gateway = (...listeners: readonly string[]): string => `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: infra}
spec: {gatewayClassName: mesh, listeners: [${listeners.join(', ')}]}
`;

/** A listener for HTTP on port 80, with further fields. */
export const listener = (name: string, more = ''): string => `{name: ${name}, port: 80, protocol: HTTP${more}}`;

interface RouteOptions {
  /** Fields of the reference to `infra/edge`. */
  readonly parent?: string;
  readonly hostnames?: readonly string[];
  readonly kind?: string;
  /** Of the creation, in 2026. */
  readonly month?: number;
}

/** A route `<namespace>/<name>` from `infra/edge` with these rules (YAML, flow style). */
export function route(
  path: string,
  rules: readonly string[],
  { parent = '', hostnames, kind = 'HTTPRoute', month }: RouteOptions = {},
): string {
  const [namespace = '', name = ''] = path.split('/');
  const created = month === undefined ? '' : `, creationTimestamp: "2026-0${month}-01T00:00:00Z"`;
  const hosts = hostnames === undefined ? '' : `hostnames: ${JSON.stringify(hostnames)}, `;
  return `---
apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}${created}}
spec: {parentRefs: [{name: edge, namespace: infra${parent}}], ${hosts}rules: [${rules.join(', ')}]}
`;
}

/** `backendRefs` with these Services (`v1`, `web/app`), each with an optional weight. */
export function to(...backends: readonly (string | readonly [service: string, weight: number])[]): string {
  const refs = backends.map((backend) => {
    const [service, weight] = typeof backend === 'string' ? [backend] : backend;
    const [name, namespace] = service.split('/').reverse();
    const fields = [`name: ${name}`, 'port: 8080'];
    if (namespace !== undefined) fields.push(`namespace: ${namespace}`);
    if (weight !== undefined) fields.push(`weight: ${weight}`);
    return `{${fields.join(', ')}}`;
  });
  return `backendRefs: [${refs.join(', ')}]`;
}

/** Lets routes of a namespace name Services of `web`. */
export const grant = (from: string, to = '{group: "", kind: Service}'): string => `---
apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: grant, namespace: web}
spec: {from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: ${from}}], to: [${to}]}
`;
