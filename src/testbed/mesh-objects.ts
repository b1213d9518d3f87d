/**
 * Container ports by name: `http-resource…` tells what it was asked for, `http…` answers HTTP, `greeting…` speaks first,
 * all else echoes.
 */
export type ContainerPorts = Readonly<Record<string, number>>;

export interface PodOptions {
  readonly namespace: string;
  readonly name: string;
  /** Last numbers of its addresses: 10.77.0.N and fd77::N. */
  readonly index: number;
  readonly hasSidecar?: boolean;
  /** A gateway instead of an application. */
  readonly isRouter?: boolean;
  readonly ports?: ContainerPorts;
  /** Ports of a second container that listens on loopback only. */
  readonly privatePorts?: ContainerPorts;
}

export interface ServiceOptions {
  readonly namespace: string;
  /** Name of the service and value of the label `app` that it selects. */
  readonly name: string;
  /** Last numbers of its addresses: 10.96.0.N and fd96::N. */
  readonly index: number;
  /** Service ports by name (the name declares the protocol); each is served at the same container port. */
  readonly ports: Readonly<Record<string, number>>;
  /** Container ports that are not the service's, by name. */
  readonly targetPorts?: Readonly<Record<string, number>>;
}

/** One object a document. JSON is YAML. */
export function topologyText(objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object, undefined, 1)).join('\n---\n');
}

/** A ready pod with addresses of both families, label `app` and a service account of its own name. */
export function pod(options: PodOptions): object {
  const { namespace, name, index, hasSidecar = true, isRouter = false, ports = {}, privatePorts } = options;
  const addresses = [`10.77.0.${index}`, `fd77::${index}`];
  const listed = (named: ContainerPorts): object[] =>
    Object.entries(named).map(([portName, containerPort]) => ({ name: portName, containerPort }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, labels: { app: name } },
    spec: {
      serviceAccountName: name,
      containers: [
        ...(isRouter ? [] : [{ name: 'application', ports: listed(ports) }]),
        ...(privatePorts === undefined
          ? []
          : [
              {
                name: 'private',
                env: [{ name: 'LISTEN_ADDRESS', value: '127.0.0.1' }],
                ports: listed(privatePorts),
              },
            ]),
        ...(isRouter || hasSidecar ? [{ name: 'mesh-proxy', args: ['proxy', isRouter ? 'router' : 'sidecar'] }] : []),
      ],
    },
    status: {
      phase: 'Running',
      podIP: addresses[0],
      podIPs: addresses.map((ip) => ({ ip })),
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

/** A service with cluster addresses of both families. */
export function service({ namespace, name, index, ports, targetPorts = {} }: ServiceOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name },
    spec: {
      selector: { app: name },
      clusterIP: `10.96.0.${index}`,
      clusterIPs: [`10.96.0.${index}`, `fd96::${index}`],
      ipFamilies: ['IPv4', 'IPv6'],
      ports: Object.entries(ports).map(([portName, port]) => ({
        name: portName,
        port,
        targetPort: targetPorts[portName] ?? port,
      })),
    },
  };
}

/** A PeerAuthentication; mesh-wide in `mesh-system`, of one workload with `app`. */
export function peerAuthentication(options: {
  readonly namespace: string;
  readonly mode: string;
  readonly app?: string;
  readonly portModes?: Readonly<Record<number, string>>;
}): object {
  const { namespace, mode, app, portModes } = options;
  return {
    apiVersion: 'security.mesh.io/v1',
    kind: 'PeerAuthentication',
    metadata: { namespace, name: app ?? 'default' },
    spec: {
      ...(app === undefined ? {} : { selector: { matchLabels: { app } } }),
      mtls: { mode },
      ...(portModes === undefined
        ? {}
        : { portLevelMtls: Object.fromEntries(Object.entries(portModes).map(([port, own]) => [port, { mode: own }])) }),
    },
  };
}

/** A DestinationRule that sets the client's TLS for a service of the namespace, or for one port of it. */
export function destinationRule(namespace: string, name: string, mode: string, port?: number): object {
  const tls = { mode };
  return {
    apiVersion: 'networking.mesh.io/v1',
    kind: 'DestinationRule',
    metadata: { namespace, name },
    spec: {
      host: `${name}.${namespace}.svc.cluster.local`,
      trafficPolicy: port === undefined ? { tls } : { portLevelSettings: [{ port: { number: port }, tls }] },
    },
  };
}

/** An AuthorizationPolicy for one workload with `app`. */
export function authorizationPolicy(options: {
  readonly namespace: string;
  readonly name: string;
  readonly app: string;
  readonly action: string;
  readonly rules: readonly object[];
}): object {
  const { namespace, name, app, action, rules } = options;
  return {
    apiVersion: 'security.mesh.io/v1',
    kind: 'AuthorizationPolicy',
    metadata: { namespace, name },
    spec: { selector: { matchLabels: { app } }, action, rules },
  };
}
