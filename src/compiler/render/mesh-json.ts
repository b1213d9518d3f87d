import type { Settings } from '../../config/settings.ts';
import {
  type MeshEndpoint,
  type MeshFile,
  type MeshService,
  type MeshWorkload,
  meshFormat,
} from '../../contracts/mesh-file.ts';
import { metricsPort, readinessPort } from '../../lib/proxy-addresses.ts';
import { sortedBy } from '../../lib/sort.ts';
import { inboundBypass } from '../topology/capture.ts';
import type { Endpoint, Service, Topology, Workload } from '../topology/model.ts';

/**
 * Content of `mesh.json`: who there is, and what redirection catches. An evaluator needs it beside Envoy's configuration,
 * which does not say which address is whose.
 */
export function meshJson(topology: Topology, settings: Settings): MeshFile {
  return {
    format: meshFormat,
    trustDomain: settings.trustDomain,
    trustDomainAliases: settings.trustDomainAliases,
    capture: {
      inboundPort: settings.proxyInboundListenPort,
      outboundPort: settings.proxyListenPort,
      interceptionMode: settings.proxy.interceptionMode,
      excludedInboundPorts: [settings.proxy.statusPort, readinessPort, metricsPort].sort((a, b) => a - b),
    },
    workloads: topology.workloads.map((workload) => workloadJson(workload, settings)),
    services: sortedBy(
      topology.services,
      ({ host }) => host,
      ({ namespace }) => namespace,
    ).map((service) => serviceJson(service, topology.endpoints.get(service) ?? [])),
  };
}

function workloadJson(workload: Workload, settings: Settings): MeshWorkload {
  return {
    namespace: workload.namespace,
    name: workload.name,
    kind: workload.kind,
    role: workload.role,
    identity: workload.identity,
    addresses: workload.addresses,
    interceptionMode: workload.interceptionMode ?? settings.proxy.interceptionMode,
    ...(workload.role === 'sidecar' ? inboundBypass(workload.annotations) : {}),
    ports: workload.targets.map(({ service, port, targetPort }) => ({
      service: service.host,
      port: port.number,
      protocol: port.protocol,
      targetPort,
    })),
  };
}

function serviceJson(service: Service, endpoints: readonly Endpoint[]): MeshService {
  return {
    host: service.host,
    ...(service.aliases.length > 0 && { aliases: service.aliases.map(({ host }) => host) }),
    namespace: service.namespace,
    kind: service.kind,
    isExternal: service.isExternal,
    isHeadless: service.isHeadless,
    resolution: service.resolution,
    addresses: service.addresses,
    ports: service.ports.map(({ number, name, protocol }) => ({ number, name, protocol })),
    endpoints: endpoints.map(endpointJson),
  };
}

function endpointJson(endpoint: Endpoint): MeshEndpoint {
  const { workload } = endpoint;
  return {
    servicePort: endpoint.servicePort,
    address: endpoint.address,
    port: endpoint.port,
    hasSidecar: endpoint.hasSidecar,
    ...(endpoint.identity === undefined ? {} : { identity: endpoint.identity }),
    ...(workload === undefined ? {} : { workload: { namespace: workload.namespace, name: workload.name } }),
  };
}
