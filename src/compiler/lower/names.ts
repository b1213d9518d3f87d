import type { Service } from '../topology/model.ts';

/** Protocols that a mesh client offers in its TLS handshake; the server's chains match on them. Private to the mesh. */
export const meshAlpn = {
  tcp: 'mesh',
  http10: 'mesh-http/1.0',
  http11: 'mesh-http/1.1',
  http2: 'mesh-h2',
} as const;

/** ALPN of mesh clients whose traffic is HTTP. */
export const meshHttpProtocols: readonly string[] = [meshAlpn.http10, meshAlpn.http11, meshAlpn.http2];

/** ALPN of mesh clients, whatever they carry. */
export const meshProtocols: readonly string[] = [meshAlpn.tcp, ...meshHttpProtocols];

/** What Envoy's HTTP inspector writes on a plaintext connection. */
export const plaintextHttpProtocols: readonly string[] = ['http/1.0', 'http/1.1', 'h2c'];

export const clusterNames = {
  blackHole: 'BlackHoleCluster',
  passthrough: 'PassthroughCluster',
  inboundPassthrough: 'InboundPassthroughCluster',
} as const;

/** Cluster of one service port and subset; an empty subset is the whole service. */
export function outboundCluster(host: string, port: number, subset = ''): string {
  return `outbound|${port}|${subset}|${host}`;
}

export function inboundCluster(targetPort: number): string {
  return `inbound|${targetPort}||`;
}

/** Server name that a mesh client asks for: the four parts of its cluster's name. */
export function meshSni(host: string, port: number, subset: string): string {
  return `outbound_.${port}_.${subset}_.${host}`;
}

/** Envoy cuts a name in its metrics at the first dot. */
export function statName(name: string): string {
  return name.replaceAll('.', '_');
}

/** Listener at an address: `0.0.0.0_80`, `10.0.0.1_443`, `[fd00::1]_443`. */
export function listenerName(address: string, port: number): string {
  return `${bracketed(address)}_${port}`;
}

/** IPv6 in brackets, as in an authority. */
export function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** Route tables become file names, so they hold no slash. */
export const routeNames = {
  inbound: (targetPort: number): string => `inbound.${targetPort}`,
  inboundPassthrough: 'inbound.passthrough',
  port: (port: number): string => String(port),
  service: (service: Service, port: number): string => `${service.host}:${port}`,
} as const;

/** Prefix of every identity of a trust domain. Without the slash `td.evil` would match `td`. */
export function trustDomainPrefix(trustDomain: string): string {
  return `spiffe://${trustDomain}/`;
}
