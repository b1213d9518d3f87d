import { compareStrings } from '../lib/sort.ts';

/** What a backend does on one port. */
export interface BackendPort {
  readonly port: number;
  /**
   * `http` answers HTTP/1.1 and HTTP/2 without TLS, `resource` tells what it was asked for; `echo` repeats bytes;
   * `greeting` speaks first, then repeats.
   */
  readonly role: 'http' | 'resource' | 'echo' | 'greeting';
  readonly address: string;
}

/** One pod as the testbed builds it. */
export interface PlannedPod {
  readonly namespace: string;
  readonly name: string;
  /** Name of its network namespace. */
  readonly network: string;
  readonly serviceAccount: string;
  readonly ipv4: string | undefined;
  readonly ipv6: string | undefined;
  readonly hasSidecar: boolean;
  /** A gateway: it runs a proxy too, and nothing is redirected to it. */
  readonly isRouter: boolean;
  /** How inbound connections reach its sidecar. */
  readonly interceptionMode: 'REDIRECT' | 'TPROXY';
  readonly ports: readonly BackendPort[];
}

/** One service port: the virtual addresses that clients dial and the pod that answers. */
export interface PlannedService {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly ports: readonly { readonly port: number; readonly targetPort: number }[];
  /** The first pod that the selector matches: the testbed's hub does not balance. */
  readonly backend: PlannedPod | undefined;
}

export interface FloorPlan {
  readonly pods: readonly PlannedPod[];
  readonly services: readonly PlannedService[];
}

/** The orchestrator's objects, as far as the testbed reads them. */
export interface PlanObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // Each kind has its own shape; the readers below name what they take.
  readonly spec?: unknown;
  readonly status?: unknown;
}

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
}
interface PodSpec {
  readonly serviceAccountName?: string;
  readonly containers?: readonly Container[];
}
interface PodStatus {
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
}
interface ServiceSpec {
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports?: readonly { readonly port: number; readonly targetPort?: number | string }[];
}

/**
 * Pods and services to build. Reads the objects on its own, not through the compiler: what the compiler misreads must
 * not be built the same wrong way.
 */
export function planFloor(objects: readonly PlanObject[]): FloorPlan {
  const injected = new Set(
    objects
      .filter(({ kind, metadata }) => kind === 'Namespace' && metadata.labels?.['mesh-injection'] === 'enabled')
      .map(({ metadata }) => metadata.name),
  );
  const pods = objects.filter(({ kind }) => kind === 'Pod');
  const planned = new Map(pods.map((pod) => [pod, planPod(pod, injected)]));
  const services = objects.filter(({ kind }) => kind === 'Service').map((service) => planService(service, planned));
  return { pods: [...planned.values()].sort((a, b) => compareStrings(a.network, b.network)), services };
}

function planPod(pod: PlanObject, injected: ReadonlySet<string>): PlannedPod {
  const { name, namespace = 'default', labels, annotations } = pod.metadata;
  const spec = (pod.spec ?? {}) as PodSpec;
  const { podIP, podIPs = [] } = (pod.status ?? {}) as PodStatus;
  const addresses = [podIP, ...podIPs.map(({ ip }) => ip)].filter((ip): ip is string => ip !== undefined);
  const label = labels?.['sidecar.mesh.io/inject'];
  const isRefused = (label ?? annotations?.['sidecar.mesh.io/inject']) === 'false';
  const isInjected = !isRefused && (injected.has(namespace) || label === 'true');
  const containers = spec.containers ?? [];
  const proxy = containers.find((container) => container.name === 'mesh-proxy');
  const isRouter = proxy?.args?.join(' ').startsWith('proxy router') ?? false;
  return {
    namespace,
    name,
    network: `${namespace}-${name}`,
    serviceAccount: spec.serviceAccountName ?? 'default',
    ipv4: addresses.find((ip) => !ip.includes(':')),
    ipv6: addresses.find((ip) => ip.includes(':')),
    hasSidecar: !isRouter && (proxy !== undefined || isInjected),
    isRouter,
    interceptionMode: annotations?.['sidecar.mesh.io/interceptionMode'] === 'TPROXY' ? 'TPROXY' : 'REDIRECT',
    ports: containers.filter((container) => container.name !== 'mesh-proxy').flatMap(backendPorts),
  };
}

/**
 * The port's name says what answers there (`http-resource…`, `http…`, `greeting…`, else echo); LISTEN_ADDRESS where, as in a
 * real image.
 */
function backendPorts({ env = [], ports = [] }: Container): BackendPort[] {
  const address = env.find(({ name }) => name === 'LISTEN_ADDRESS')?.value ?? '::';
  return ports.map(({ name = '', containerPort }) => ({
    port: containerPort,
    role: roleOf(name),
    address,
  }));
}

function roleOf(portName: string): BackendPort['role'] {
  if (portName.startsWith('http-resource')) return 'resource';
  return portName.startsWith('http') ? 'http' : portName.startsWith('greeting') ? 'greeting' : 'echo';
}

function planService(service: PlanObject, pods: ReadonlyMap<PlanObject, PlannedPod>): PlannedService {
  const { name, namespace = 'default' } = service.metadata;
  const { clusterIP, clusterIPs = [], selector = {}, ports = [] } = (service.spec ?? {}) as ServiceSpec;
  const chosen = [...pods].find(
    ([{ metadata }, pod]) =>
      pod.namespace === namespace &&
      Object.keys(selector).length > 0 &&
      Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value),
  );
  const containerPorts = ((chosen?.[0].spec ?? {}) as PodSpec).containers?.flatMap((one) => one.ports ?? []) ?? [];
  return {
    names: [`${name}.${namespace}`, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`],
    addresses: [...new Set([clusterIP, ...clusterIPs])].filter((ip): ip is string => ip !== undefined && ip !== 'None'),
    ports: ports.map(({ port, targetPort = port }) => ({
      port,
      targetPort:
        typeof targetPort === 'number'
          ? targetPort
          : (containerPorts.find((one) => one.name === targetPort)?.containerPort ?? port),
    })),
    backend: chosen?.[1],
  };
}
