import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonObject, JsonValue } from '../source/document.ts';
import { type Container, containersOf, isObject, type PodObject } from './pod.ts';

/** Probes of the application as the kubelet is to make them, and as the agent is to make them in its place. */
export interface RewrittenProbes {
  readonly pod: PodObject;
  /** What MESH_APP_PROBERS says, by path on the status port; empty: nothing was rewritten. */
  readonly probers: JsonObject;
}

const endings = { livenessProbe: 'livez', readinessProbe: 'readyz', startupProbe: 'startupz' } as const;
type ProbeField = keyof typeof endings;

interface Rewriting {
  readonly statusPort: number;
  /** Of the proxy: a probe of one of them asks the agent or Envoy already. */
  readonly reservedPorts: ReadonlySet<number>;
  /** The proxy starts before the pod's own init containers. */
  readonly isNative: boolean;
  readonly bag: DiagnosticBag;
}

/**
 * Leads probes of the application to the agent, which makes them: a kubelet has no certificate of the mesh. Probes by a
 * command stay, and so do those that name a host, which need not be this pod, or a port of the proxy.
 */
export function rewriteProbes(pod: PodObject, rewriting: Rewriting): RewrittenProbes {
  const probers: Record<string, JsonValue> = {};
  const inContainers = (list: 'containers' | 'initContainers'): readonly Container[] =>
    containersOf(pod, list).map((container, i) =>
      rewriteContainer(container, `spec.${list}[${i}]`, probers, rewriting),
    );
  const spec = {
    ...pod.spec,
    containers: inContainers('containers'),
    ...(pod.spec.initContainers === undefined ? {} : { initContainers: inContainers('initContainers') }),
  };
  return { pod: { ...pod, spec }, probers };
}

function rewriteContainer(
  container: Container,
  at: string,
  probers: Record<string, JsonValue>,
  rewriting: Rewriting,
): Container {
  if (container.name === 'mesh-proxy' || container.name === 'mesh-init') return container;
  const isInit = at.startsWith('spec.initContainers');
  const changed: Record<string, JsonValue> = {};
  for (const field of Object.keys(endings) as ProbeField[]) {
    const probe = container[field];
    if (!isObject(probe)) continue;
    // It must succeed before an ordinary proxy is started.
    if (isInit && field === 'startupProbe' && !rewriting.isNative) continue;
    const prober = proberOf(probe, container, `${at}.${field}`, rewriting);
    if (prober === undefined) continue;
    const path = `/app-health/${container.name}/${endings[field]}`;
    probers[path] = prober;
    const { httpGet, tcpSocket, grpc, ...schedule } = probe;
    changed[field] = { httpGet: { path, port: rewriting.statusPort, scheme: 'HTTP' }, ...schedule };
  }
  return Object.keys(changed).length === 0 ? container : { ...container, ...changed };
}

/** The probe as the agent makes it, its port a number; undefined where the kubelet goes on making it. */
function proberOf(probe: JsonObject, container: Container, at: string, rewriting: Rewriting): JsonObject | undefined {
  for (const action of ['httpGet', 'tcpSocket', 'grpc'] as const) {
    const fields = probe[action];
    if (!isObject(fields)) continue;
    if (typeof fields.host === 'string' && fields.host !== '') return undefined;
    const port = portOf(fields.port, container);
    if (port === undefined) {
      const problem = `${at}.${action}.port: no port of the container is named ${JSON.stringify(fields.port)}`;
      rewriting.bag.report('uninjectable-pod', undefined, { problem });
      return undefined;
    }
    if (rewriting.reservedPorts.has(port)) return undefined;
    const { host, ...rest } = fields;
    const { timeoutSeconds } = probe;
    return { [action]: { ...rest, port }, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) };
  }
  return undefined;
}

/** A number, or the port of the container that has the name. */
function portOf(port: JsonValue | undefined, { ports }: Container): number | undefined {
  if (typeof port === 'number') return port;
  if (typeof port === 'string' && /^\d{1,5}$/.test(port)) return Number(port);
  const found = ((ports ?? []) as readonly JsonObject[]).find(({ name }) => name !== undefined && name === port);
  return typeof found?.containerPort === 'number' ? found.containerPort : undefined;
}
