import ipaddr from 'ipaddr.js';
import { utf8Length } from '../../lib/utf8.ts';
import type { IpFamily } from './model.ts';

/** The one text form of an IP address (dotted decimal; RFC 5952); undefined for anything else, zones and octal parts too. */
export function canonicalAddress(text: string): string | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).toString();
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  return ipaddr.IPv6.parse(text).toRFC5952String();
}

/** Canonical form of an address or CIDR block; host bits are cleared, a block of one address is written as the address. */
export function canonicalBlock(text: string): string | undefined {
  const [prefix = '', length, rest] = text.split('/');
  if (length === undefined) return canonicalAddress(text);
  const address = canonicalAddress(prefix);
  if (address === undefined || rest !== undefined || !/^\d{1,3}$/.test(length)) return undefined;
  const isIpv6 = address.includes(':');
  const bits = Number(length);
  if (bits > (isIpv6 ? 128 : 32)) return undefined;
  if (bits === (isIpv6 ? 128 : 32)) return address;
  const network = isIpv6
    ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`).toRFC5952String()
    : ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`).toString();
  return `${network}/${bits}`;
}

/** Family of an address or block in canonical form. */
export function familyOf(address: string): IpFamily {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** The families that occur, IPv4 first. */
export function familiesOf(addresses: Iterable<string>): IpFamily[] {
  const found = new Set<IpFamily>();
  for (const address of addresses) found.add(familyOf(address));
  return (['ipv4', 'ipv6'] as const).filter((family) => found.has(family));
}

/** True for what needs no resolver: an IP address, or a Unix socket (`unix://…`). */
export function isFixed(address: string): boolean {
  return address.startsWith('unix://') || canonicalAddress(address) !== undefined;
}

/** Linux keeps 108 bytes for a Unix socket's path, the last of them zero (unix(7)). */
const longestSocketPath = 107;

/**
 * True for `unix:///path` and `unix://@name` (the abstract namespace) that Envoy can open: it refuses all clusters for
 * one it cannot.
 */
export function isSocketAddress(text: string): boolean {
  if (!/^unix:\/\/[/@][^\p{Cc}]+$/u.test(text)) return false;
  return utf8Length(text.slice('unix://'.length)) <= longestSocketPath;
}

/** True for a DNS name that an address field may hold; text that looks like a broken IPv4 address is none. */
export function isHostName(text: string): boolean {
  return (
    text.length <= 253 &&
    /^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.?$/i.test(text) &&
    !/(^|\.)\d+\.?$/.test(text)
  );
}
