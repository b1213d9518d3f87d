import { compile } from '../../src/compiler/compile.ts';
import type { EnvoyConfig } from '../../src/compiler/render/resource.ts';
import { defaultSettings } from '../../src/config/defaults.ts';
import type { HostFacts } from '../../src/config/host-facts.ts';
import { DiagnosticBag } from '../../src/diagnostics/bag.ts';
import { edgeTopology } from '../../src/testing/generated-edge.ts';
import { staticFormOf } from '../../src/testing/static-form.ts';

/** Ports of loopback: of the proxy's listeners, and of the applications behind them, in the same order. */
export interface LoadedPorts {
  readonly proxy: readonly number[];
  readonly applications: readonly number[];
}

/** What the machine of a proxy under load gives it. */
export type LoadedMachine = Pick<HostFacts, 'memoryLimitBytes' | 'descriptorLimit'>;

/** A bootstrap with everything in it, to be run without an agent: its admin interface is this socket. */
export type LoadedConfig = (ports: LoadedPorts, machine: LoadedMachine, adminSocket: string) => string;

interface Listener {
  readonly name: string;
  readonly filter_chains: readonly { readonly name: string; readonly filters: readonly object[] }[];
}

interface StaticBootstrap {
  admin: object;
  static_resources: { listeners: Listener[]; clusters: { name: string }[] };
}

const edge = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {namespace: mesh-system, name: edge}
spec: {selector: {mesh: ingressgateway}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {namespace: mesh-system, name: app}
spec:
  hosts: [app.example]
  location: MESH_EXTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 192.0.2.1}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {namespace: mesh-system, name: app}
spec: {hosts: ["*"], gateways: [edge], http: [{route: [{destination: {host: app.example}}]}]}
`;

/** A gateway's listener for plaintext, and of the clusters those that need no agent. */
export const loadedGateway: LoadedConfig = (ports, machine, adminSocket) => {
  const files = [edgeTopology(), { path: 'objects.yaml', text: edge }];
  const config = compiled(files, { namespace: 'mesh-system', name: 'edge' }, machine);
  const text = JSON.stringify(staticFormOf(config));
  // The address stands for the application's until its port is known: no setting is needed to reach loopback.
  const bootstrap: StaticBootstrap = JSON.parse(
    text.replaceAll(
      '"address":"192.0.2.1","port_value":80',
      `"address":"127.0.0.1","port_value":${ports.applications[0]}`,
    ),
  );
  const { listeners, clusters } = bootstrap.static_resources;
  bootstrap.admin = { address: { pipe: { path: adminSocket } } };
  bootstrap.static_resources.listeners = listeners
    .filter(({ name }) => name.endsWith('_8080'))
    .map((listener) => ({ ...listener, address: loopback(ports.proxy[0]) }));
  bootstrap.static_resources.clusters = clusters.filter(({ name }) => name.includes('app.example'));
  return JSON.stringify(bootstrap);
};

const workload = `apiVersion: v1
kind: Namespace
metadata: {name: a, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: app, namespace: a}
spec:
  clusterIP: 10.96.0.9
  selector: {app: app}
  ports: [{port: 80, name: http, targetPort: 8080}, {port: 81, name: http-other, targetPort: 8081}]
---
apiVersion: v1
kind: Pod
metadata: {name: app, namespace: a, labels: {app: app}}
spec: {containers: [{name: app}]}
status: {phase: Running, podIP: 10.1.0.9}
`;

/** A sidecar's chains for plaintext HTTP of its two ports, a listener each in place of the redirection. */
export const loadedSidecar: LoadedConfig = (ports, machine, adminSocket) => {
  const config = compiled([{ path: 'mesh.yaml', text: workload }], { namespace: 'a', name: 'app' }, machine);
  const bootstrap = staticFormOf(config) as StaticBootstrap;
  const { listeners, clusters } = bootstrap.static_resources;
  const inbound = listeners.find(({ name }) => name === 'virtualInbound');
  const targets = [8080, 8081].map((target, i) => ({ target, i }));
  bootstrap.admin = { address: { pipe: { path: adminSocket } } };
  bootstrap.static_resources.listeners = targets.map(({ target, i }) => ({
    name: String(target),
    address: loopback(ports.proxy[i]),
    filter_chains: (inbound?.filter_chains ?? [])
      .filter(({ name }) => name === `inbound-${target}-plain-http`)
      .map(({ name, filters }) => ({ name, filters })),
  }));
  bootstrap.static_resources.clusters = targets.flatMap(({ target, i }) =>
    clusters
      .filter(({ name }) => name === `inbound|${target}||`)
      .map((cluster) => delivering(cluster, ports.applications[i])),
  );
  return JSON.stringify(bootstrap);
};

/** The cluster with an address of its own in place of the one that the client dialled. */
function delivering(cluster: { readonly name: string }, port: number | undefined): { name: string } {
  const { upstream_bind_config: _bind, lb_policy: _policy, ...rest } = cluster as Record<string, unknown>;
  const endpoint = { endpoint: { address: loopback(port) } };
  const { name } = cluster;
  return {
    ...rest,
    name,
    type: 'STATIC',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [endpoint] }] },
  } as { name: string };
}

function loopback(port = 0): object {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}

function compiled(
  files: readonly { readonly path: string; readonly text: string }[],
  workload: { readonly namespace: string; readonly name: string },
  machine: LoadedMachine,
): EnvoyConfig {
  const bag = new DiagnosticBag();
  const config = compile(
    {
      settings: { ...defaultSettings, accessLogFile: '' },
      host: { ...machine, addresses: [], labels: {}, annotations: {}, metadata: {} },
      files,
      select: [workload],
    },
    bag,
  )?.configs[0];
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  return config;
}
