import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cluster } from '../../testing/kubernetes/cluster.ts';
import type { Condition } from '../status/condition.ts';

const networking = (kind: string) => `/apis/networking.mesh.io/v1beta1/namespaces/foo/${kind}`;

/** A route of the backend whose answers say which version of it is in force. */
const route = (version: string) => ({
  ...{ apiVersion: 'networking.mesh.io/v1beta1', kind: 'VirtualService', metadata: { name: 'backend' } },
  spec: {
    hosts: ['backend.test'],
    http: [
      {
        route: [{ destination: { host: 'backend.test' } }],
        headers: { response: { set: { 'x-route': version } } },
      },
    ],
  },
});

/** A server on loopback that the mesh of a cluster knows as `backend.test`, and its route, whose versions answers tell. */
export class RoutedBackend {
  readonly #cluster: Cluster;
  readonly #server: Server;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#server = createServer((_request, response) => response.end('served')).listen(0, '127.0.0.1');
  }

  /** Envoys listen for its requests on a port of their own of loopback. */
  async serveAt(port: number): Promise<void> {
    const backendPort = (this.#server.address() as AddressInfo).port;
    const endpoints = [{ address: '127.0.0.1', ports: { http: backendPort } }];
    const http = { name: 'http', number: port, protocol: 'HTTP' };
    await this.#cluster.api.must('POST', networking('serviceentries'), {
      ...{ apiVersion: 'networking.mesh.io/v1beta1', kind: 'ServiceEntry', metadata: { name: 'backend' } },
      spec: { hosts: ['backend.test'], ports: [http], resolution: 'STATIC', location: 'MESH_EXTERNAL', endpoints },
    });
    await this.#cluster.api.must('POST', networking('sidecars'), {
      ...{ apiVersion: 'networking.mesh.io/v1beta1', kind: 'Sidecar', metadata: { name: 'default' } },
      spec: {
        egress: [{ port: http, bind: '127.0.0.1', captureMode: 'NONE', hosts: ['./backend.test'] }],
      },
    });
  }

  async makeRoute(version: string): Promise<void> {
    await this.#cluster.api.must('POST', networking('virtualservices'), route(version));
  }

  async changeRoute(version: string): Promise<void> {
    const { spec } = route(version);
    const path = `${networking('virtualservices')}/backend`;
    await this.#cluster.api.must('PATCH', path, { spec }, 'application/merge-patch+json');
  }

  /** What the status of the route says of its present generation, by type. */
  async conditionsOfRoute(): Promise<Record<string, Condition & { readonly observedGeneration: number }>> {
    const { metadata, status } = await this.#cluster.api.must('GET', `${networking('virtualservices')}/backend`);
    const conditions: readonly Condition[] = status?.conditions ?? [];
    const now = conditions.filter(({ observedGeneration }) => observedGeneration === metadata.generation);
    return Object.fromEntries(now.map((it) => [it.type, it])) as never;
  }

  close(): void {
    this.#server.close();
  }
}
