import { agentDnsPort, metricsPort, readinessPort } from '../lib/proxy-addresses.ts';
import type { Settings } from './settings.ts';

/** Ports that Envoy itself binds on the wildcard: it takes no second listener there, whoever asks for it. */
export function boundPorts({ proxyListenPort, proxyInboundListenPort }: Settings): ReadonlySet<number> {
  return new Set([proxyListenPort, proxyInboundListenPort, readinessPort, metricsPort]);
}

/**
 * Ports of a proxy where its own surfaces answer, each with what answers there. The readiness port is not among them: it
 * answers strangers anyhow, and nothing but whether the proxy is ready.
 */
export function ownPorts({ proxyListenPort, proxyInboundListenPort, proxy }: Settings): ReadonlyMap<number, string> {
  return new Map([
    [metricsPort, 'metrics'],
    [proxyListenPort, 'outbound redirection'],
    [proxyInboundListenPort, 'inbound redirection'],
    [proxy.statusPort, 'status'],
    [proxy.adminPort, 'administration'],
  ]);
}

/** Ports of loopback alone where the agent serves its workload, each with what answers there. */
export function loopbackPorts({ proxy }: Settings): ReadonlyMap<number, string> {
  const servesDns = proxy.servesDns || Boolean(proxy.proxyMetadata.DNS_AGENT);
  return new Map([
    ...(proxy.tokenServicePort === 0 ? [] : [[proxy.tokenServicePort, 'tokens'] as const]),
    ...(servesDns ? [[agentDnsPort, 'DNS'] as const] : []),
  ]);
}
