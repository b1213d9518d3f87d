// Objects of the namespace `shop` for tests of rules about routes.

export const named = (kind: string, group: string, name: string, spec: string): string => `apiVersion: ${group}
kind: ${kind}
metadata: {name: ${name}, namespace: shop}
spec: ${spec}
`;
export const networking = 'networking.mesh.io/v1';
export const servicesFor = (...names: readonly string[]): readonly string[] =>
  names.map((name) =>
    named('Service', 'v1', name, `{selector: {app: ${name}}, ports: [{name: http, port: 80, targetPort: 8080}]}`),
  );
export const podOf = (name: string, labels: string, rest = ''): string => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {${labels}, sidecar.mesh.io/inject: "true"}}
spec: {containers: [{name: app}]${rest}}
`;
export const gatewayOf = (name: string): string =>
  named('Gateway', networking, name, '{servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}');
export const routeTo = (gateways: string, host: string): string =>
  named(
    'VirtualService',
    networking,
    'route',
    `{hosts: [a.example], gateways: [${gateways}], http: [{route: [{destination: {host: ${host}}}]}]}`,
  );
