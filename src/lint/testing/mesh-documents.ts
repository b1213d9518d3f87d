// YAML of single objects, for tests of what lint says of parts of a mesh.

export const service = (name: string, namespace: string): string => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: {selector: {app: ${name}}, ports: [{name: http, port: 80, targetPort: 8080}]}
`;
export const deployment = (name: string, namespace: string, label = name): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  template:
    metadata: {labels: {app: ${label}}}
    spec: {containers: [{name: app}]}
`;
export const strict = (name: string, namespace: string, label = name): string => `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: ${name}, namespace: ${namespace}}
spec: {selector: {matchLabels: {app: ${label}}}, mtls: {mode: STRICT}}
`;
export const route = (host: string, destination: string, gateway = 'mesh'): string => `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: route, namespace: shop}
spec:
  hosts: [${host}]
  gateways: [${gateway}]
  http: [{route: [{destination: {host: ${destination}}}]}]
`;
export const rule = (host: string): string => `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: rule, namespace: shop}
spec: {host: ${host}, trafficPolicy: {loadBalancer: {simple: RANDOM}}}
`;
export const selecting = (kind: string, rest: string): string => `apiVersion: networking.mesh.io/v1
kind: ${kind}
metadata: {name: own, namespace: shop}
spec:
  workloadSelector: ${kind === 'Sidecar' ? '{labels: {app: carts}}' : '{matchLabels: {app: carts}}'}
  ${rest}
`;
export const gateway = (name: string): string => `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: shop}
spec: {selector: {app: gateway}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ['*']}]}
`;
export const namespace = (name: string, labels: string): string => `apiVersion: v1
kind: Namespace
metadata: {name: ${name}, labels: ${labels}}
`;

export const machine = (labels: string, rest = ''): string => `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: machine, namespace: shop}
spec: {address: 10.40.1.11, labels: ${labels}${rest}}
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: machines, namespace: shop}
spec:
  hosts: [machines.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 8080, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: erp}}
`;

/** An egress gateway. */
export const egress = `apiVersion: v1
kind: Pod
metadata: {name: egress, namespace: edge, labels: {mesh: egressgateway, sidecar.mesh.io/inject: "true"}, annotations: {inject.mesh.io/templates: gateway}}
spec: {containers: [{name: mesh-proxy, image: auto}]}
`;
