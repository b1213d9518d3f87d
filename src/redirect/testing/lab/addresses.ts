import type { Family } from '../../config.ts';

/**
 * Names of the laboratory's addresses. `workload` and `peer` share a link; `peer-excluded` and `workload-second` are on
 * the same link in a second subnet; `guest` sits behind the workload's virtual interface `vnet0`; `service` is a virtual
 * address that the peer's namespace leads to the workload; `delivery` is what a proxy calls its application from;
 * `unspecified` and `mapped` are what a program may dial to reach its own host.
 */
export const addresses = {
  workload: { IPv4: '10.77.0.1', IPv6: 'fd77::1' },
  'workload-second': { IPv4: '10.78.0.1', IPv6: 'fd78::1' },
  'workload-virtual': { IPv4: '10.99.0.1', IPv6: 'fd99::1' },
  peer: { IPv4: '10.77.0.2', IPv6: 'fd77::2' },
  'peer-excluded': { IPv4: '10.78.0.2', IPv6: 'fd78::2' },
  guest: { IPv4: '10.99.0.2', IPv6: 'fd99::2' },
  service: { IPv4: '10.96.0.1', IPv6: 'fd96::1' },
  loopback: { IPv4: '127.0.0.1', IPv6: '::1' },
  delivery: { IPv4: '127.0.0.6', IPv6: '::6' },
  unspecified: { IPv4: '0.0.0.0', IPv6: '::' },
  mapped: { IPv4: '127.0.0.2', IPv6: '::ffff:127.0.0.1' },
} as const satisfies Record<string, Record<Family, string>>;

export type AddressName = keyof typeof addresses;

/** CIDRs of both families around `peer` and around `peer-excluded`, as the flags take them. */
export const subnets = { first: '10.77.0.0/16,fd77::/64', second: '10.78.0.0/16,fd78::/64' };

/** The name of an address, or the address itself. */
export function nameAddress(address: string): string {
  const found = Object.entries(addresses).find(([, { IPv4, IPv6 }]) => address === IPv4 || address === IPv6);
  return found?.[0] ?? address;
}
