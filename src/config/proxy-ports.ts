import type { Settings } from './settings.ts';

/** Port of every proxy that answers readiness to the outside. */
export const readinessPort = 15021;
/** Port of every proxy that answers Envoy's own metrics to the outside. */
export const metricsPort = 15090;

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
