import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { staticFormOf } from '../../../testing/static-form.ts';
import { compile } from '../../compile.ts';
import {
  ask,
  type RoutedAnswer,
  type RoutedRequest,
  type SeenRequest,
  startEcho,
} from '../../lower/testing/outbound-gate.ts';
import { isAnswered, startStaticEnvoy } from '../../lower/testing/static-envoy.ts';
import { askCall, type CallAnswer, type CallOptions, startCallee } from './calls.ts';

/** One real Envoy with the listeners of a gateway, once for each set of objects. */
export interface StandardGates {
  /** `name` of the set, and the port if it is not 80. */
  send(name: string, request?: RoutedRequest, port?: number): Promise<RoutedAnswer>;
  /** One call over gRPC to port 80, in HTTP/2: `path` is `/<service>/<method>`. */
  call(name: string, path: string, options?: CallOptions): Promise<CallAnswer>;
  /** What applications have got since the last call, in no order that matters. */
  received(): readonly SeenRequest[];
  close(): Promise<void>;
}

/** Services with an application each: `<name>.<namespace>`, on port 8080. */
const backends = ['v1.infra', 'v2.infra', 'v3.infra', 'app.web'] as const;

/** A service whose application speaks HTTP/2 alone. */
const callee = 'calls.infra';

/** Compiles each text (YAML, beside the mesh below) for the workload `infra/edge` and starts Envoy with the listeners. */
export async function startStandardGates(objects: Readonly<Record<string, string>>): Promise<StandardGates> {
  const folder = await mkdtemp(join(tmpdir(), 'standard-gates-'));
  const log: SeenRequest[] = [];
  const pathOf = (backend: string): string => join(folder, `${backend}.sock`);
  const servers = await Promise.all(backends.map((backend) => startEcho(backend, pathOf(backend), log)));
  const calls = await startCallee(pathOf(callee));
  const names = Object.keys(objects);
  const socketOf = (name: string, port: number): string => join(folder, `${names.indexOf(name)}.${port}.sock`);
  const listeners = names.flatMap((name) =>
    compiledListeners(objects[name] ?? '').map(({ port, filters }) => ({
      name: `${name} ${port}`,
      address: { pipe: { path: socketOf(name, port) } },
      filter_chains: [{ filters }],
    })),
  );
  const clusters = [
    ...backends.map((it) => clusterOf(it, pathOf(it))),
    { ...clusterOf(callee, pathOf(callee)), ...http2 },
  ];
  const envoy = await startStaticEnvoy(folder, { listeners, clusters });
  for (const { address } of listeners) {
    await envoy.until(() => isAnswered(ask(address.pipe.path, { path: '/ready' })));
  }
  log.length = 0;
  return {
    send: (name, request = {}, port = 80) => ask(socketOf(name, port), request),
    call: (name, path, options) => askCall(socketOf(name, 80), path, options),
    received: () => log.splice(0),
    close: async () => {
      await envoy.close();
      calls.close();
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const http2 = {
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      explicit_http_config: { http2_protocol_options: {} },
    },
  },
};

function clusterOf(backend: string, path: string): object {
  const [name, namespace] = backend.split('.');
  const cluster = `outbound|8080||${name}.${namespace}.svc.cluster.local`;
  const endpoint = { endpoint: { address: { pipe: { path } } } };
  return {
    ...{ name: cluster, type: 'STATIC', connect_timeout: '5s' },
    load_assignment: { cluster_name: cluster, endpoints: [{ lb_endpoints: [endpoint] }] },
  };
}

interface CompiledListener {
  readonly port: number;
  readonly filters: readonly object[];
}

function compiledListeners(text: string): readonly CompiledListener[] {
  const bag = new DiagnosticBag();
  const files = [{ path: 'objects.yaml', text: `${meshText()}---\n${text}` }];
  const options = { settings: { ...defaultSettings, accessLogFile: '' } };
  const config = compile({ ...options, files, select: [{ namespace: 'infra', name: 'edge' }] }, bag)?.configs[0];
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  const { static_resources } = staticFormOf(config) as {
    static_resources: { listeners: { name: string; filter_chains: { filters: object[] }[] }[] };
  };
  return static_resources.listeners.flatMap(({ name, filter_chains: [chain] }) => {
    const [, port] = /^0\.0\.0\.0_(80|8080)$/.exec(name) ?? [];
    return port === undefined || chain === undefined ? [] : [{ port: Number(port), filters: chain.filters }];
  });
}

function meshText(): string {
  const services = [...backends, callee].map((backend, i) => {
    const [name, namespace] = backend.split('.');
    const port = backend === callee ? 'grpc' : 'http';
    return `---
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: {clusterIP: 10.96.0.${i + 1}, selector: {app: ${name}}, ports: [{name: ${port}, port: 8080}]}
`;
  });
  const namespaces = ['infra', 'web'].map(
    (name) => `---
apiVersion: v1
kind: Namespace
metadata: {name: ${name}, labels: {team: ${name}}}
`,
  );
  return `apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: infra, labels: {gateway.networking.k8s.io/gateway-name: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {phase: Running, podIP: 10.1.2.10}
${namespaces.join('')}${services.join('')}`;
}
