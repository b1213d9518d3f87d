import type { Settings } from '../../config/settings.ts';
import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { ServiceEntry, WorkloadEntrySpec } from '../../policy/topology-kinds.ts';
import { canonicalBlock, isFixed } from './address.ts';
import { dialedAddress } from './dialed-address.ts';
import { isWildcard } from './host.ts';
import { localityOfLabels } from './locality.ts';
import type { Endpoint, Resolution, ServicePort } from './model.ts';
import { selectProtocol } from './protocol-selection.ts';
import { acceptsMeshTls, roleOfEntry } from './role.ts';
import { externalEndpoint, isStream, type ServiceDraft } from './services.ts';
import { identityOf } from './workloads.ts';

/** One service a host of the entry. */
export function draftServiceEntry(entry: ServiceEntry, settings: Settings, bag: DiagnosticBag): ServiceDraft[] {
  const { spec } = entry;
  const resolution = resolutionOf(entry, bag);
  const ports = (spec.ports ?? []).map(({ number, name, protocol }): ServicePort => {
    return { number, name, protocol: selectProtocol({ number, name, appProtocol: protocol }) };
  });
  const addresses = (spec.addresses ?? []).flatMap((text, i) => readBlock(entry, ['spec', 'addresses', i], text, bag));
  const inline = (spec.endpoints ?? []).flatMap((endpoint, i) =>
    inlineEndpoints(entry, endpoint, i, ports, settings, bag),
  );
  const selector = spec.workloadSelector?.labels;
  const targets = new Map(
    (spec.ports ?? []).flatMap(({ number, targetPort }) => (targetPort ? [[number, targetPort]] : [])),
  );
  const hosts = [...new Set(spec.hosts.map((host) => host.toLowerCase()))];
  return hosts.map((host) => ({
    service: {
      host,
      namespace: entry.namespace,
      name: host,
      kind: 'ServiceEntry',
      isExternal: spec.location !== 'MESH_INTERNAL',
      isHeadless: false,
      resolution,
      dnsRoundRobin: spec.resolution === 'DNS_ROUND_ROBIN',
      addresses,
      ports,
      exportTo: spec.exportTo?.length ? spec.exportTo : settings.defaultServiceExportTo,
      createdAt: entry.createdAt,
      subjectAltNames: spec.subjectAltNames ?? [],
      aliases: [],
      object: entry,
    },
    targetPorts: targets,
    selector: selector !== undefined && Object.keys(selector).length > 0 ? selector : undefined,
    selectsPods: settings.serviceEntriesSelectPods,
    publishesUnready: false,
    ownEndpoints:
      inline.length === 0 && selector === undefined && resolution === 'dns' && !isWildcard(host)
        ? ports.flatMap((port) => externalEndpoint(host, port, targets.get(port.number)))
        : inline,
  }));
}

function resolutionOf(entry: ServiceEntry, bag: DiagnosticBag): Resolution {
  switch (entry.spec.resolution) {
    case 'STATIC':
      return 'client';
    case 'DNS':
    case 'DNS_ROUND_ROBIN':
      return 'dns';
    case 'DYNAMIC_DNS':
      bag.report('unsupported-resolution', entry.document.spanOf(['spec', 'resolution']), { value: 'DYNAMIC_DNS' });
      return 'passthrough';
    default:
      return 'passthrough';
  }
}

function readBlock(entry: ServiceEntry, path: JsonPath, text: string, bag: DiagnosticBag): string[] {
  const block = canonicalBlock(text);
  if (block !== undefined) return [block];
  bag.report('invalid-address', entry.document.spanOf(path), { value: text });
  return [];
}

const hintOfStatic =
  'resolution STATIC takes IP addresses as they are: write the address, or have names resolved with resolution: DNS';

function inlineEndpoints(
  entry: ServiceEntry,
  endpoint: WorkloadEntrySpec,
  index: number,
  ports: readonly ServicePort[],
  settings: Settings,
  bag: DiagnosticBag,
): Endpoint[] {
  const path = ['spec', 'endpoints', index, 'address'];
  const [address] = endpoint.address === undefined ? [] : dialedAddress(entry, path, endpoint.address, bag);
  if (address === undefined) return [];
  if (entry.spec.resolution === 'STATIC' && !isFixed(address)) {
    bag.report('invalid-address', entry.document.spanOf(path), { value: address }, { hint: hintOfStatic });
    return [];
  }
  const labels = endpoint.labels ?? {};
  return ports.filter(isStream).map((port) => {
    const declared = entry.spec.ports?.find(({ number }) => number === port.number)?.targetPort;
    const named = Object.hasOwn(endpoint.ports ?? {}, port.name) ? endpoint.ports?.[port.name] : undefined;
    return {
      servicePort: port.number,
      address,
      port: address.startsWith('unix://') ? 0 : (named ?? declared ?? port.number),
      labels,
      identity: endpoint.serviceAccount
        ? identityOf(settings.trustDomain, entry.namespace, endpoint.serviceAccount)
        : undefined,
      workload: undefined,
      hasSidecar: acceptsMeshTls(labels, roleOfEntry(labels)),
      weight: endpoint.weight,
      locality: endpoint.locality || localityOfLabels(labels),
    };
  });
}
