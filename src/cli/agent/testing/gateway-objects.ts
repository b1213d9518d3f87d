import { objects } from './sample-mesh.ts';

/** The pod of a gateway. */
export const gatewayPod = `apiVersion: v1
kind: Pod
metadata: {name: httpbin, namespace: foo, labels: {mesh: ingressgateway}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 127.0.0.1}
`;

/** Its Gateway with these servers, each YAML in flow form. */
export const gatewayOf = (...servers: readonly string[]): string => `apiVersion: networking.mesh.io/v1alpha3
kind: Gateway
metadata: {name: edge, namespace: foo}
spec:
  selector: {mesh: ingressgateway}
  servers:
${servers.map((server) => `  - ${server}\n`).join('')}`;

/** A Gateway with one plain server for these hosts, which answers "plain" by itself. */
export const plainGateway = (port: number, host: string): string =>
  objects(
    gatewayOf(`{port: {number: ${port}, name: http, protocol: HTTP}, hosts: ["${host}"]}`),
    `apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: edge, namespace: foo}
spec:
  hosts: ["${host}"]
  gateways: [edge]
  http: [{directResponse: {status: 200, body: {string: plain}}}]
`,
  );

/** A gateway whose servers answer by themselves with their names; `raw` is TLS that goes through to port 9443. */
export const topology = objects(
  gatewayPod,
  `apiVersion: v1
kind: Service
metadata: {name: edge, namespace: foo}
spec:
  clusterIP: 10.1.0.9
  selector: {mesh: ingressgateway}
  ports: [{name: http, port: 80, targetPort: 8080}, {name: https, port: 443, targetPort: 8443}]
---
apiVersion: networking.mesh.io/v1alpha3
kind: ServiceEntry
metadata: {name: raw, namespace: foo}
spec:
  hosts: [raw.internal]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 9443, name: tls, protocol: TLS}]
  endpoints: [{address: 127.0.0.1}]
---
apiVersion: networking.mesh.io/v1alpha3
kind: ServiceEntry
metadata: {name: plain, namespace: foo}
spec:
  hosts: [plain.internal]
  location: MESH_EXTERNAL
  resolution: STATIC
  ports: [{number: 8080, name: tcp, protocol: TCP}]
  endpoints: [{address: 127.0.0.1}]
`,
);

/** One TLS server of the gateway. */
const server = (name: string, host: string, tls: string, port = 443, protocol = 'HTTPS'): string =>
  `{port: {number: ${port}, name: ${name}, protocol: ${protocol}}, hosts: ["${host}"], tls: ${tls}}`;

/** Its Gateway and routes: each server answers with its kind. */
export const gateway = objects(
  gatewayOf(
    '{port: {number: 80, name: http, protocol: HTTP}, hosts: ["plain.example.com"]}',
    server('redirected', 'a.example.com', '{httpsRedirect: true}', 80, 'HTTP'),
    server('wide', '*.example.com', '{mode: SIMPLE, credentialName: wide, httpsRedirect: true}'),
    server('a', 'a.example.com', '{mode: SIMPLE, credentialName: a}'),
    server(
      'mutual',
      'mutual.example.com',
      '{mode: MUTUAL, credentialName: mutual, subjectAltNames: [friend.example.com]}',
    ),
    server('optional', 'optional.example.com', '{mode: OPTIONAL_MUTUAL, credentialName: mutual}'),
    server('raw', 'raw.example.com', '{mode: PASSTHROUGH}', 443, 'TLS'),
    server('missing', 'missing.example.com', '{mode: SIMPLE, credentialName: missing}'),
    server('broken', 'broken.example.com', '{mode: SIMPLE, credentialName: broken}'),
    server('new', 'new.example.com', '{mode: SIMPLE, credentialName: a, minProtocolVersion: TLSV1_3}'),
    server('behind', 'raw.example.com', '{mode: SIMPLE, credentialName: a}', 9443),
    server('inner', '*.internal', '{mode: SIMPLE, credentialName: a}', 9443),
    server('bytes', 'bytes.example.com', '{mode: SIMPLE, credentialName: a}', 7443, 'TLS'),
    server('other', '*.internal', '{mode: AUTO_PASSTHROUGH}', 15443, 'TLS'),
    '{port: {number: 7000, name: tcp, protocol: TCP}, hosts: ["bytes.example.com"]}',
  ),
  `apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: edge, namespace: foo}
spec:
  hosts: ["*.example.com"]
  gateways: [edge]
  http:
  - match: [{port: 80, uri: {exact: /twice}, headers: {x-hop: {exact: "1"}, x-forwarded-host: {exact: ours}}}]
    directResponse: {status: 200, body: {string: kept}}
  - match: [{port: 80, uri: {exact: /twice}, headers: {x-hop: {exact: "1"}}}]
    directResponse: {status: 200, body: {string: gone}}
  - match: [{port: 80, uri: {exact: /twice}, headers: {x-set: {exact: "1"}}}]
    headers: {request: {set: {x-hop: "1", x-forwarded-host: ours}}}
    route: [{destination: {host: plain.internal, port: {number: 8080}}}]
  - match: [{port: 80, uri: {exact: /twice}}]
    headers: {request: {set: {x-hop: "1"}}}
    route: [{destination: {host: plain.internal, port: {number: 8080}}}]
  - match: [{port: 80}]
    directResponse: {status: 200, body: {string: plain}}
  - match: [{port: 443}]
    directResponse: {status: 200, body: {string: secure}}
  - directResponse: {status: 200, body: {string: behind}}
  tls:
  - match: [{sniHosts: [raw.example.com]}]
    route: [{destination: {host: raw.internal, port: {number: 9443}}}]
  tcp:
  - match: [{port: 7000}]
    route:
    - {destination: {host: raw.internal, port: {number: 9443}}, weight: 50}
    - {destination: {host: plain.internal, port: {number: 8080}}, weight: 50}
  - match: [{port: 7443}]
    route: [{destination: {host: plain.internal, port: {number: 8080}}}]
`,
);

/** PEM texts of a Secret. */
export interface SecretTexts {
  readonly certificate: string;
  readonly key: string;
  readonly authorities?: string;
}

/** A Secret of the gateway's namespace, to be appended to others. */
export function secret(name: string, { certificate, key, authorities }: SecretTexts): string {
  const data = {
    'tls.crt': certificate,
    'tls.key': key,
    ...(authorities === undefined ? {} : { 'ca.crt': authorities }),
  };
  const lines = Object.entries(data).map(([field, text]) => `  ${field}: ${Buffer.from(text).toString('base64')}\n`);
  return `---
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: foo}
type: kubernetes.io/tls
data:
${lines.join('')}`;
}
