/** The pod of a gateway, whose account has its name. */
export const gatewayPod = (name: string, of: string): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${of}, labels: {mesh: ${name}}}
spec: {serviceAccountName: ${name}, containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 127.0.0.1, conditions: [{type: Ready, status: "True"}]}
`;

/** A gateway with these servers, each YAML in flow form, which answers "secure" by itself. */
export const gateway = (
  name: string,
  of: string,
  ...servers: readonly string[]
): string => `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: ${of}}
spec:
  selector: {mesh: ${name}}
  servers:
${servers.map((server) => `  - ${server}\n`).join('')}---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: ${of}}
spec:
  hosts: ["*.example.com"]
  gateways: [${name}]
  http: [{directResponse: {status: 200, body: {string: secure}}}]
`;
/** A server for hosts below example.com; `tls` is YAML in flow form. */
export const tlsServer = (port: number, tls: string): string =>
  `{port: {number: ${port}, name: https-${port}, protocol: HTTPS}, hosts: ["*.example.com"], tls: ${tls}}`;
