import type { Settings } from './settings.ts';

/** Port of every proxy that answers readiness to the outside. */
export const readinessPort = 15021;
/** Port of every proxy that answers Envoy's own metrics to the outside. */
export const metricsPort = 15090;

/** Ports that Envoy itself binds on the wildcard: it takes no second listener there, whoever asks for it. */
export function boundPorts({ proxyListenPort, proxyInboundListenPort }: Settings): ReadonlySet<number> {
  return new Set([proxyListenPort, proxyInboundListenPort, readinessPort, metricsPort]);
}
