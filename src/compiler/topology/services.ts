import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type * as kinds from '../../policy/topology-kinds.ts';
import { canonicalAddress } from './address.ts';
import type { Endpoint, Service, ServicePort } from './model.ts';
import { selectProtocol } from './protocol-selection.ts';
import type { Labels } from './selector.ts';

/** A service before its endpoints are found. */
export interface ServiceDraft {
  readonly service: Omit<Service, 'facts'>;
  /** By service port: number or name of the container port where it differs from the service port. */
  readonly targetPorts: ReadonlyMap<number, number | string>;
  /** Labels of the workloads behind the service; undefined when its endpoints are written down. */
  readonly selector: Labels | undefined;
  readonly selectsPods: boolean;
  readonly publishesUnready: boolean;
  /** Endpoints that the object itself names. */
  readonly ownEndpoints: readonly Endpoint[];
}

/** Kubernetes services: cluster IP, headless (`clusterIP: None`), or another name for an external host. */
export function draftService(object: kinds.Service, settings: Settings, bag: DiagnosticBag): ServiceDraft {
  const { spec } = object;
  const isExternal = spec.type === 'ExternalName';
  const isHeadless = !isExternal && spec.clusterIP === 'None';
  const selector = Object.keys(spec.selector ?? {}).length > 0 && !isExternal ? spec.selector : undefined;
  const ports = (spec.ports ?? []).map((port): ServicePort => {
    const { port: number, name = '', protocol: transport, appProtocol } = port;
    return { number, name, protocol: selectProtocol({ number, name, transport, appProtocol }) };
  });
  const external = spec.externalName?.toLowerCase();
  return {
    service: {
      host: `${object.name}.${object.namespace}.svc.${settings.clusterDomain}`,
      namespace: object.namespace,
      name: object.name,
      kind: 'Service',
      isExternal,
      isHeadless,
      resolution: isExternal ? 'dns' : isHeadless ? 'passthrough' : 'client',
      dnsRoundRobin: false,
      addresses: isExternal ? [] : clusterAddresses(object, bag),
      ports,
      exportTo: exportToAnnotation(object) ?? settings.defaultServiceExportTo,
      createdAt: object.createdAt,
      subjectAltNames: [],
      aliases: [],
      object,
    },
    targetPorts: targetPorts(spec.ports ?? []),
    selector,
    selectsPods: true,
    publishesUnready: spec.publishNotReadyAddresses === true,
    ownEndpoints:
      external === undefined || !isExternal ? [] : ports.flatMap((port) => externalEndpoint(external, port)),
  };
}

/** Ports that carry connections; the mesh does not touch datagrams. */
export function isStream(port: ServicePort): boolean {
  return port.protocol !== 'udp';
}

/** An endpoint that is no workload of the mesh: nothing is known of its labels, its identity or a sidecar. */
export function externalEndpoint(address: string, port: ServicePort, targetPort = port.number): Endpoint[] {
  if (!isStream(port)) return [];
  return [
    {
      servicePort: port.number,
      address,
      port: targetPort,
      labels: {},
      identity: undefined,
      workload: undefined,
      hasSidecar: false,
      weight: undefined,
      locality: undefined,
    },
  ];
}

function clusterAddresses(object: kinds.Service, bag: DiagnosticBag): string[] {
  const { clusterIP, clusterIPs } = object.spec;
  const field = clusterIPs === undefined ? 'clusterIP' : 'clusterIPs';
  const texts = (clusterIPs ?? [clusterIP ?? '']).filter((text) => text !== '' && text !== 'None');
  return texts.flatMap((text, i) => {
    const address = canonicalAddress(text);
    if (address !== undefined) return [address];
    const path = field === 'clusterIP' ? ['spec', field] : ['spec', field, i];
    bag.report('invalid-address', object.document.spanOf(path), { value: text });
    return [];
  });
}

function exportToAnnotation(object: kinds.Service): string[] | undefined {
  const entries = object.annotations['networking.mesh.io/exportTo']?.split(',').map((entry) => entry.trim());
  const named = entries?.filter((entry) => entry !== '');
  return named?.length ? named : undefined;
}

function targetPorts(ports: readonly kinds.ServicePortSpec[]): Map<number, number | string> {
  const targets = new Map<number, number | string>();
  for (const { port, targetPort, protocol } of ports) {
    // Kubernetes writes 0 and the empty name for "the same as the port"; digits in quotes stay a number, `8e3` is a name.
    if (!targetPort || protocol === 'UDP' || protocol === 'SCTP') continue;
    targets.set(port, /^\d+$/.test(String(targetPort)) ? Number(targetPort) : targetPort);
  }
  return targets;
}
