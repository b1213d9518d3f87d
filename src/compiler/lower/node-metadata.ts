import type { HostFacts } from '../../config/host-facts.ts';
import type { Settings } from '../../config/settings.ts';
import type { ProxyStart, StartedWorkload } from './proxy-start.ts';

const prefix = 'MESH_META_';

/**
 * Node metadata, keys sorted: what the workload is, under it what variables of the proxy's configuration and of the
 * machine add. The workload's own name, identity and addresses cannot be spoken over.
 */
export function nodeMetadata(
  workload: StartedWorkload,
  { clusterId, proxy }: Settings,
  host: HostFacts | undefined,
  start: ProxyStart,
): Readonly<Record<string, unknown>> {
  const addresses = [...new Set([...(host?.addresses ?? []), ...workload.addresses])];
  const usual: Readonly<Record<string, unknown>> = {
    CLUSTER_ID: clusterId,
    INTERCEPTION_MODE: workload.interceptionMode ?? proxy.interceptionMode,
    WORKLOAD_NAME: workload.name,
  };
  const own: Readonly<Record<string, unknown>> = {
    ...(addresses.length > 0 ? { INSTANCE_IPS: addresses.join(',') } : {}),
    LABELS: sortedRecord({ ...workload.labels, ...host?.labels }),
    NAME: workload.name,
    NAMESPACE: workload.namespace,
    SDS: 'true',
    SERVICE_ACCOUNT: workload.serviceAccount,
  };
  return sortedRecord({
    ...usual,
    ...ofVariables(start.variables),
    ...host?.metadata,
    ...ofStart(start, host),
    ...own,
  });
}

/** What objects say of the start, over what the machine shows of its settings. */
function ofStart(
  { concurrency, imageType }: ProxyStart,
  host: HostFacts | undefined,
): Readonly<Record<string, unknown>> {
  if (concurrency === undefined && imageType === undefined) return {};
  const shown = {
    ...(host?.metadata.PROXY_CONFIG as object | undefined),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(imageType === undefined ? {} : { image: { imageType } }),
  };
  return { PROXY_CONFIG: shown };
}

/** Names that start with MESH_META_WORKLOAD are kept from it, as in Istio, but for the workload's name. */
function ofVariables(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const taken = Object.entries(variables)
    .filter(([key]) => key.startsWith(prefix) && key.length > prefix.length)
    .map(([key, value]) => [key.slice(prefix.length), value] as const)
    .filter(([key]) => !key.startsWith('WORKLOAD') || key === 'WORKLOAD_NAME');
  return Object.fromEntries(taken);
}

function sortedRecord<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
