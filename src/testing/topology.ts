import type {
  ClientScope,
  Decided,
  Effective,
  EffectiveInbound,
  EffectiveMtlsMode,
  EffectiveOutbound,
  EffectiveSubset,
} from '../compiler/merge/effective.ts';
import { endpointFacts } from '../compiler/topology/endpoint-facts.ts';
import type { Endpoint, Service, ServicePort, ServiceTarget, Topology, Workload } from '../compiler/topology/model.ts';
import type { Protocol } from '../compiler/topology/protocol.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import type { TrafficBlocks } from '../policy/destination-rule.ts';
import { meshObject } from './objects.ts';

/** Ports as `8000/http`. */
export function ports(...texts: readonly string[]): readonly ServicePort[] {
  return texts.map((text) => {
    const [number = '', protocol = 'auto'] = text.split('/');
    return { number: Number(number), name: protocol, protocol: protocol as Protocol };
  });
}

/** A service with one virtual address; `name` may be `namespace/name`, or a host with dots for a ServiceEntry. */
export function meshService(name: string, { endpoints = [], ...fields }: ServiceFields = {}): Service {
  const kind = fields.kind ?? 'Service';
  const object = meshObject(kind, name);
  const host = kind === 'Service' ? `${object.name}.${object.namespace}.svc.cluster.local` : object.name;
  const service: Service = {
    host,
    namespace: object.namespace,
    name: object.name,
    kind,
    isExternal: false,
    isHeadless: false,
    resolution: 'client',
    dnsRoundRobin: false,
    addresses: ['10.0.0.1'],
    ports: ports('8000/http'),
    exportTo: ['*'],
    createdAt: 0,
    subjectAltNames: [],
    aliases: [],
    facts: endpointFacts(fields.resolution ?? 'client', endpoints),
    object,
    ...fields,
  };
  lists.set(service, endpoints);
  return service;
}

/** A service, with its ready endpoints. */
export type ServiceFields = Partial<Service> & { readonly endpoints?: readonly Endpoint[] };

const lists = new WeakMap<Service, readonly Endpoint[]>();

/** The endpoints that services were made with. */
export function endpointsOf(services: readonly Service[]): Topology['endpoints'] {
  return new Map(services.map((service) => [service, lists.get(service) ?? []]));
}

/** A topology with the given parts; all others are empty. */
export function meshTopology(topology: Partial<Topology> = {}): Topology {
  return {
    namespaces: new Map(),
    services: [],
    endpoints: endpointsOf(topology.services ?? []),
    workloads: [],
    counts: { endpointsWithoutPod: 0, endpointsNotReady: 0, podsWithoutIp: 0 },
    unseenIn: new Set(),
    secrets: [],
    ...topology,
  };
}

export function endpoint(address: string, fields: Partial<Endpoint> = {}): Endpoint {
  return {
    servicePort: 8000,
    address,
    port: 8000,
    labels: {},
    identity: undefined,
    workload: undefined,
    hasSidecar: false,
    weight: undefined,
    locality: undefined,
    ...fields,
  };
}

/** An injected pod at 10.1.0.1 that serves the ports of `services` as they are numbered. */
export function meshWorkload(
  name: string,
  services: readonly Service[] = [],
  fields: Partial<Workload> = {},
): Workload {
  const object = meshObject('Pod', name);
  const targets = services.flatMap((service) =>
    service.ports.map((port): ServiceTarget => ({ service, port, targetPort: port.number })),
  );
  return {
    namespace: object.namespace,
    name: object.name,
    kind: 'Pod',
    labels: {},
    annotations: {},
    serviceAccount: 'default',
    identity: `spiffe://cluster.local/ns/${object.namespace}/sa/default`,
    role: 'sidecar',
    addresses: ['10.1.0.1'],
    families: ['ipv4'],
    isReady: true,
    namedPorts: {},
    interceptionMode: undefined,
    locality: undefined,
    object,
    targets,
    ...fields,
  };
}

export function clientScope(fields: Partial<Omit<ClientScope, 'key'>> = {}): ClientScope {
  const scope = {
    namespace: 'default',
    role: 'sidecar',
    families: ['ipv4'],
    trustDomain: 'cluster.local',
    interceptionMode: 'REDIRECT',
    labels: {},
    ...fields,
  } as const;
  return { ...scope, key: JSON.stringify(scope) };
}

/** A value that the field of a PeerAuthentication decided. */
function decidedMode(value: EffectiveMtlsMode, field: JsonPath = ['spec', 'mtls', 'mode']): Decided<EffectiveMtlsMode> {
  const { kind, namespace, name, document } = meshObject('PeerAuthentication', 'default/policy');
  return { value, origins: { decidedBy: [{ kind, namespace, name, field, at: document }], overrode: [] } };
}

export function inboundModes(
  mode: EffectiveMtlsMode,
  portModes: Readonly<Record<number, EffectiveMtlsMode>> = {},
): EffectiveInbound {
  const decided = Object.entries(portModes).map(
    ([port, value]) => [Number(port), decidedMode(value, ['spec', 'portLevelMtls', port, 'mode'])] as const,
  );
  return { mode: decidedMode(mode), ports: new Map(decided) };
}

/** A service as a client sees it: `rule` holds for all of its ports, and for subsets by name with their labels. */
export function effectiveOutbound(
  service: Service,
  rule: TrafficBlocks = {},
  options: {
    readonly mode?: EffectiveMtlsMode;
    readonly subsets?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  } = {},
): EffectiveOutbound {
  const { kind, namespace, name, document } = meshObject('DestinationRule', 'default/rule');
  const decidedBy = Object.keys(rule).map((block) => {
    const field = ['spec', 'trafficPolicy', block];
    return { kind, namespace, name, field, at: document };
  });
  const subset = (subsetName: string, labels: Readonly<Record<string, string>>): EffectiveSubset => ({
    name: subsetName,
    labels,
    traffic: new Map(
      service.ports.map(({ number }) => [number, { blocks: rule, origins: { decidedBy, overrode: [] } }]),
    ),
    origins: { decidedBy: [], overrode: [] },
  });
  const subsets = Object.entries(options.subsets ?? {}).map(([subsetName, labels]) => subset(subsetName, labels));
  return {
    service,
    subsets: [subset('', {}), ...subsets],
    serviceMode: { value: options.mode ?? 'PERMISSIVE', origins: { decidedBy: [], overrode: [] } },
  };
}

const noVirtualServices: readonly never[] = [];

const noProxyConfigs = { mesh: undefined, namespace: undefined, workload: undefined };

/** Answers that do not depend on who asks. */
export function effective(
  outbound: readonly EffectiveOutbound[],
  inbound: EffectiveInbound = inboundModes('PERMISSIVE'),
): Effective {
  return {
    missingDestinations: [],
    inbound: () => inbound,
    ingress: () => [],
    requestAuthentications: () => [],
    authorizationPolicies: () => [],
    inboundPolicies: () => ({}),
    gateways: () => [],
    proxyConfigs: () => noProxyConfigs,
    virtualServices: () => noVirtualServices,
    outbound: () => outbound,
    named: () => outbound.map(({ service }) => service),
    inboundTraffic: (_namespace, service, port) =>
      outbound.find((known) => known.service === service)?.subsets[0]?.traffic.get(port.number),
  };
}
