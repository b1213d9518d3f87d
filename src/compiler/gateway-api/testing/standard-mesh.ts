import { defaultSettings } from '../../../config/defaults.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { staticFormOf } from '../../../testing/static-form.ts';
import { compile } from '../../compile.ts';

/** Services with an application each: `<name>.<namespace>`, on port 8080. */
export const backends = ['v1.infra', 'v2.infra', 'v3.infra', 'app.web'] as const;

/** A service whose application speaks HTTP/2 alone. */
export const callee = 'calls.infra';

/** A cluster for a service of the mesh, whose application listens at a socket. */
export function clusterOf(backend: string, path: string): object {
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
  readonly filter_chains: readonly { readonly filters: readonly object[] }[];
  readonly listener_filters?: readonly object[];
}

/** The listeners of the workload `infra/edge` for its ports, compiled from objects (YAML) beside the mesh below. */
export function compiledListeners(text: string): readonly CompiledListener[] {
  const bag = new DiagnosticBag();
  const files = [{ path: 'objects.yaml', text: `${meshText()}---\n${text}` }];
  const options = { settings: { ...defaultSettings, accessLogFile: '' } };
  const config = compile({ ...options, files, select: [{ namespace: 'infra', name: 'edge' }] }, bag)?.configs[0];
  if (config === undefined) throw new Error(bag.all.map(({ message }) => message).join('\n'));
  const { static_resources } = staticFormOf(config) as {
    static_resources: { listeners: (Omit<CompiledListener, 'port'> & { readonly name: string })[] };
  };
  return static_resources.listeners.flatMap(({ name, filter_chains, listener_filters = [] }) => {
    const [, port] = /^0\.0\.0\.0_(80|443|8080)$/.exec(name) ?? [];
    return port === undefined ? [] : [{ port: Number(port), filter_chains, listener_filters }];
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
