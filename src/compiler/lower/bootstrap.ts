import type { Settings } from '../../config/settings.ts';
import type { BootstrapIR } from '../ir/proxy.ts';
import { parseLocality } from '../topology/locality.ts';
import type { Workload } from '../topology/model.ts';

/** What one proxy is told at its start: who it is, its fixed ports, where its files are, which statistics to keep. */
export function lowerBootstrap(workload: Workload, settings: Settings): BootstrapIR {
  const { proxy } = settings;
  const isIpv6 = workload.families[0] === 'ipv6';
  return {
    nodeId: nodeId(workload, settings),
    serviceCluster: proxy.serviceCluster,
    metadata: metadata(workload, settings),
    locality: workload.locality ? parseLocality(workload.locality) : undefined,
    adminPort: proxy.adminPort,
    statusPort: proxy.statusPort,
    localhost: isIpv6 ? '::1' : '127.0.0.1',
    wildcard: isIpv6 ? '::' : '0.0.0.0',
    configPath: proxy.configPath,
    initialFetchTimeoutMs: settings.initialFetchTimeoutMs,
    statsInclusion: {
      prefixes: proxy.statsInclusionPrefixes,
      suffixes: proxy.statsInclusionSuffixes,
      regexps: proxy.statsInclusionRegexps,
    },
    extraStatTags: proxy.extraStatTags,
    outlierLogPath: proxy.outlierLogPath,
  };
}

/** `role~ip~name.namespace~domain`, the four fields that a control plane splits at the tildes. */
function nodeId({ role, addresses, families, name, namespace }: Workload, { clusterDomain }: Settings): string {
  const address = addresses[0] ?? (families[0] === 'ipv6' ? '::1' : '127.0.0.1');
  return [role, address, `${name}.${namespace}`, `${namespace}.svc.${clusterDomain}`].join('~');
}

/** Node metadata, keys sorted. Variables of the proxy's configuration reach it by their prefix. */
function metadata(workload: Workload, { clusterId, proxy }: Settings): Readonly<Record<string, unknown>> {
  const own: Readonly<Record<string, unknown>> = {
    CLUSTER_ID: clusterId,
    ...(workload.addresses.length > 0 ? { INSTANCE_IPS: workload.addresses.join(',') } : {}),
    INTERCEPTION_MODE: workload.interceptionMode ?? proxy.interceptionMode,
    LABELS: sortedRecord(workload.labels),
    NAME: workload.name,
    NAMESPACE: workload.namespace,
    SDS: 'true',
    SERVICE_ACCOUNT: workload.serviceAccount,
    WORKLOAD_NAME: workload.name,
  };
  const prefix = 'MESH_META_';
  const extra = Object.entries(proxy.proxyMetadata)
    .filter(([key]) => key.startsWith(prefix) && !key.startsWith(`${prefix}WORKLOAD`))
    .map(([key, value]) => [key.slice(prefix.length), value] as const);
  return sortedRecord({ ...Object.fromEntries(extra), ...own });
}

function sortedRecord<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
