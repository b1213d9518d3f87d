import { pod, service, topologyText } from '../mesh-objects.ts';
import type { AttackTarget } from './attack.ts';

/** Where policies are put, and where requests are sent to meet them. */
export interface AttackedPlace {
  readonly kind: 'sidecar' | 'gateway';
  readonly workload: { readonly namespace: string; readonly app: string };
  readonly target: AttackTarget;
}

const gatewayWorkload = { namespace: 'mesh-system', app: 'ingressgateway' };
const httpPort = 8080;

/** A backend that tells what it was asked for, its sidecar, a gateway before it, and an attacker outside the mesh. */
export const attackTopology: string = topologyText([
  pod({ namespace: 'foo', name: 'server', index: 10, ports: { 'http-resource': 8000 } }),
  service({ namespace: 'foo', name: 'server', index: 10, ports: { http: 8000 } }),
  pod({ namespace: gatewayWorkload.namespace, name: gatewayWorkload.app, index: 20, isRouter: true }),
  service({
    namespace: gatewayWorkload.namespace,
    name: gatewayWorkload.app,
    index: 20,
    ports: { http: 80 },
    targetPorts: { http: httpPort },
  }),
  pod({ namespace: 'legacy', name: 'attacker', index: 13, hasSidecar: false }),
  {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'Gateway',
    metadata: { namespace: 'foo', name: 'edge' },
    spec: {
      selector: { app: gatewayWorkload.app },
      servers: [{ port: { number: 80, name: 'http', protocol: 'HTTP' }, hosts: ['*'] }],
    },
  },
  {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'VirtualService',
    metadata: { namespace: 'foo', name: 'server' },
    spec: {
      hosts: ['*'],
      gateways: ['edge'],
      http: [{ route: [{ destination: { host: 'server.foo.svc.cluster.local', port: { number: 8000 } } }] }],
    },
  },
]);

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
