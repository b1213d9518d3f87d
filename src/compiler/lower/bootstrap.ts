import type { HostFacts } from '../../config/host-facts.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { BootstrapIR } from '../ir/proxy.ts';
import type { EffectiveProxyConfigs } from '../merge/effective.ts';
import { localityOfLabels, parseLocality } from '../topology/locality.ts';
import { keptStatistics } from './kept-statistics.ts';
import { nodeMetadata } from './node-metadata.ts';
import { overloadLimits } from './overload-limits.ts';
import { proxyStart, type StartedWorkload } from './proxy-start.ts';
import { reports } from './reports.ts';

/**
 * The bootstrap of one proxy: identity of its node, fixed ports, places of its files, statistics to keep. Only the agent
 * gives facts of the machine (`host`).
 */
export function lowerBootstrap(
  workload: StartedWorkload,
  settings: Settings,
  host?: HostFacts,
  configs: EffectiveProxyConfigs = noProxyConfigs,
  bag: DiagnosticBag = new DiagnosticBag(),
): BootstrapIR {
  const { proxy } = settings;
  const start = proxyStart(workload, configs, settings, bag);
  const isIpv6 = workload.families[0] === 'ipv6';
  const locality = (host && localityOfLabels(host.labels)) ?? workload.locality;
  const addresses = [...new Set([...(host?.addresses ?? []), ...workload.addresses])];
  return {
    nodeId: nodeId(workload, settings),
    serviceCluster: proxy.serviceCluster,
    metadata: nodeMetadata(workload, settings, host, start),
    ...(start.concurrency === undefined ? {} : { concurrency: start.concurrency }),
    locality: locality ? parseLocality(locality) : undefined,
    adminPort: proxy.adminPort,
    statusPort: proxy.statusPort,
    localhost: isIpv6 ? '::1' : '127.0.0.1',
    wildcard: isIpv6 ? '::' : '0.0.0.0',
    ...(proxy.metricsListener === 'LOOPBACK' ? { metricsHost: isIpv6 ? '::1' : '127.0.0.1' } : {}),
    configPath: proxy.configPath,
    initialFetchTimeoutMs: settings.initialFetchTimeoutMs,
    ...keptStatistics(settings, { ...workload.annotations, ...host?.annotations }, addresses),
    outlierLogPath: proxy.outlierLogPath,
    overload: overloadLimits(host),
    reports: reports(settings),
  };
}

const noProxyConfigs: EffectiveProxyConfigs = { mesh: undefined, namespace: undefined, workload: undefined };

/** `role~ip~name.namespace~domain`, the four fields that a control plane splits at the tildes. */
function nodeId({ role, addresses, families, name, namespace }: StartedWorkload, { clusterDomain }: Settings): string {
  const address = addresses[0] ?? (families[0] === 'ipv6' ? '::1' : '127.0.0.1');
  return [role, address, `${name}.${namespace}`, `${namespace}.svc.${clusterDomain}`].join('~');
}
