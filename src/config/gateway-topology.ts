import type { JsonObject } from '../source/document.ts';

/** What becomes of `X-Forwarded-Client-Cert`, in Envoy's words. */
export type ForwardedCertificate =
  | 'SANITIZE'
  | 'FORWARD_ONLY'
  | 'APPEND_FORWARD'
  | 'SANITIZE_SET'
  | 'ALWAYS_FORWARD_ONLY';

/** What stands between clients and the gateways. */
export interface GatewayTopology {
  /** Proxies that may be believed, each of which adds one address to `X-Forwarded-For`. */
  readonly numTrustedProxies: number;
  readonly forwardedCertificate: ForwardedCertificate;
  /** Connections begin with a header of the PROXY protocol, and without one are closed. */
  readonly hasProxyProtocol: boolean;
}

/** Nothing stands there: the client is the peer of the connection, and what it says of itself counts for nothing. */
export const noProxiesInFront: GatewayTopology = {
  numTrustedProxies: 0,
  forwardedCertificate: 'SANITIZE_SET',
  hasProxyProtocol: false,
};

/** `gatewayTopology` of a ProxyConfig, which the schema has checked. */
export function readGatewayTopology(value: JsonObject): GatewayTopology {
  const { numTrustedProxies, forwardClientCertDetails: details, proxyProtocol } = value;
  const isSaid = typeof details === 'string' && details !== 'UNDEFINED';
  return {
    numTrustedProxies: Number(numTrustedProxies ?? 0),
    forwardedCertificate: isSaid ? (details as ForwardedCertificate) : noProxiesInFront.forwardedCertificate,
    hasProxyProtocol: typeof proxyProtocol === 'object' && proxyProtocol !== null,
  };
}
