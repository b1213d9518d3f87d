import ipaddr from 'ipaddr.js';

/** Host of the URL of a key set, in lower case and without brackets; undefined for what is no URL. */
export function keyHost(jwksUri: string | undefined): string | undefined {
  if (!jwksUri || !URL.canParse(jwksUri)) return undefined;
  return new URL(jwksUri).hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback');
}

/** Why a host is inside of the network, as far as its text tells; undefined where it may be a public one. */
export function innerKind(host: string, clusterDomain: string): string | undefined {
  if (isLoopback(host)) return 'a loopback address';
  if (ipaddr.isValid(host)) {
    const range = ipaddr.parse(host).range();
    return range === 'unicast' ? undefined : `an address of the range ${range}`;
  }
  return host.endsWith('.svc') || host.endsWith(`.svc.${clusterDomain}`) ? 'a service of the cluster' : undefined;
}
