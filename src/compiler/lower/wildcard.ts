import type { IpFamily } from '../topology/model.ts';

/** Addresses that stand for all of the proxy's families. `::` alone takes no IPv4, so each family has its own. */
export function wildcardAddresses(families: readonly IpFamily[]): readonly string[] {
  const addresses = families.map((family) => (family === 'ipv4' ? '0.0.0.0' : '::'));
  // The first is the listener's own address, the others additional ones; its name says IPv4 where there is any.
  return addresses.sort();
}
