import { pod, service, topologyText } from '../../src/testbed/mesh-objects.ts';
import type { AttackTarget } from './attack.ts';

/** Where policies are put, and where requests are sent to meet them. */
export interface AttackedPlace {
  readonly kind: 'sidecar' | 'gateway';
  readonly workload: { readonly namespace: string; readonly app: string };
  readonly target: AttackTarget;
}

const gatewayWorkload = { namespace: 'mesh-system', app: 'ingressgateway' };
const httpPort = 8080;
const folderPort = 8081;

/** Where the gateway's port 443 is served. */
export const tlsPort = 8443;

/** A backend that tells what it was asked for, its sidecar, a gateway before it, an attacker outside the mesh and one in it. */
export const attackTopology: string = topologyText([
  pod({ namespace: 'foo', name: 'server', index: 10, ports: { 'http-resource': 8000 } }),
  service({ namespace: 'foo', name: 'server', index: 10, ports: { http: 8000 } }),
  pod({ namespace: gatewayWorkload.namespace, name: gatewayWorkload.app, index: 20, isRouter: true }),
  service({
    namespace: gatewayWorkload.namespace,
    name: gatewayWorkload.app,
    index: 20,
    ports: { http: 80, 'http-folder': 81, https: 443 },
    targetPorts: { http: httpPort, 'http-folder': folderPort, https: tlsPort },
  }),
  pod({ namespace: 'legacy', name: 'attacker', index: 13, hasSidecar: false }),
  pod({ namespace: 'foo', name: 'insider', index: 14 }),
  ...exposure('edge', 80, {}),
  ...exposure('folder', 81, { match: [{ uri: { prefix: '/public/' } }] }),
]);

/** A server of the gateway for all hosts and what its requests are routed by. */
function exposure(name: string, port: number, route: object): object[] {
  const destination = { host: 'server.foo.svc.cluster.local', port: { number: 8000 } };
  return [
    {
      apiVersion: 'networking.mesh.io/v1',
      kind: 'Gateway',
      metadata: { namespace: 'foo', name },
      spec: {
        selector: { app: gatewayWorkload.app },
        servers: [{ port: { number: port, name, protocol: 'HTTP' }, hosts: ['*'] }],
      },
    },
    {
      apiVersion: 'networking.mesh.io/v1',
      kind: 'VirtualService',
      metadata: { namespace: 'foo', name },
      spec: { hosts: ['*'], gateways: [name], http: [{ ...route, route: [{ destination }] }] },
    },
  ];
}

/** The gateway's port whose one route leads to the paths below /public/. */
export const folderTarget: AttackTarget = { host: '10.77.0.20', port: folderPort, authority: 'server.foo' };

/** The backend as a client's own sidecar knows it. */
export const serviceTarget: AttackTarget = { host: '10.96.0.10', port: 8000, authority: 'server.foo:8000' };

/** The backend's own sidecar, and the gateway; a request through the gateway passes the sidecar too. */
export const attackedPlaces: readonly AttackedPlace[] = [
  {
    kind: 'sidecar',
    workload: { namespace: 'foo', app: 'server' },
    target: { host: '10.77.0.10', port: 8000, authority: 'server.foo' },
  },
  {
    kind: 'gateway',
    workload: gatewayWorkload,
    target: { host: '10.77.0.20', port: httpPort, authority: 'server.foo' },
  },
];
