import ipaddr from 'ipaddr.js';
import type { Cidr, PortRange } from './config.ts';

/** Takes what is wrong with a setting's value. */
export type Complain = (message: string) => void;

/** Items between commas, blanks around them removed, empty ones left out, each once. */
export function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ''))];
}

/** A whole number in decimal, or undefined. */
export function parseWhole(text: string, least: number, most: number): number | undefined {
  if (!/^\d{1,10}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= least && number <= most ? number : undefined;
}

/** One port; 0 is none. */
export function parsePort(text: string, complain: Complain): number | undefined {
  const port = parseWhole(text.trim(), 1, 65535);
  if (port === undefined) complain(`"${text}" is no port, expected 1 to 65535`);
  return port;
}

/** Ports and ranges `a:b`. */
export function parsePorts(text: string, complain: Complain): PortRange[] {
  return splitList(text).flatMap((item) => {
    const [first = '', last = first, rest] = item.split(':');
    const range = { first: parseWhole(first, 1, 65535), last: parseWhole(last, 1, 65535) };
    if (item === '*') complain('"*" stands alone, not in a list');
    else if (range.first === undefined || range.last === undefined || rest !== undefined) {
      complain(`"${item}" is no port, expected 1 to 65535, or a range as 8000:8999`);
    } else if (range.first > range.last) complain(`"${item}" is an empty range`);
    else return [{ first: range.first, last: range.last }];
    return [];
  });
}

/** `*` for everything, or ports. */
export function parsePortsOrAll(text: string, complain: Complain): 'all' | PortRange[] {
  return text.trim() === '*' ? 'all' : parsePorts(text, complain);
}

/** `*` for everything, or address ranges. */
export function parseCidrsOrAll(text: string, complain: Complain): 'all' | Cidr[] {
  return text.trim() === '*' ? 'all' : parseCidrs(text, complain);
}

/** Address ranges of both families; host bits are cleared. */
export function parseCidrs(text: string, complain: Complain): Cidr[] {
  const cidrs = new Map<string, Cidr>();
  for (const item of splitList(text)) {
    const cidr = parseCidr(item);
    if (typeof cidr === 'string') complain(cidr);
    else cidrs.set(cidr.text, cidr);
  }
  return [...cidrs.values()];
}

/** The range, or what is wrong with it. */
function parseCidr(text: string): Cidr | string {
  if (text === '*') return '"*" stands alone, not in a list';
  const [address = '', bits = '', rest] = text.split('/');
  const isIpv6 = address.includes(':');
  const width = isIpv6 ? 128 : 32;
  if (!isAddress(address)) return `"${text}" is no address range, expected one as 10.0.0.0/8 or fd00::/8`;
  if (bits === '') return `"${text}" has no prefix length, one address is "${address}/${width}"`;
  const length = parseWhole(bits, 0, width);
  if (length === undefined || rest !== undefined) return `"${text}" has no prefix length from 0 to ${width}`;
  if (!isIpv6) {
    const network = ipaddr.IPv4.networkAddressFromCIDR(`${address}/${length}`).toString();
    return { family: 'IPv4', text: `${network}/${length}` };
  }
  // RFC 4291 2.5.5: no packet carries these; what they would stand for is IPv4 and belongs to the other list.
  if (length >= 96 && isIpv4InIpv6(address)) return `"${text}" mixes the families, write it as an IPv4 range`;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${length}`).toRFC5952String();
  return { family: 'IPv6', text: `${network}/${length}` };
}

function isAddress(text: string): boolean {
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) && !/(^|\.)0\d/.test(text);
  return !text.includes('%') && ipaddr.IPv6.isValid(text);
}

function isIpv4InIpv6(address: string): boolean {
  const parts = ipaddr.IPv6.parse(address).parts;
  const isLow = parts.slice(0, 5).every((part) => part === 0);
  return isLow && (parts[5] === 0xffff || (parts[5] === 0 && parts[6] !== 0));
}

/** Interface names as the packet filter takes them; `+` at the end stands for any rest. */
export function parseInterfaces(text: string, complain: Complain): string[] {
  return splitList(text).filter((name) => {
    const isName = /^[A-Za-z0-9_.:@-]+\+?$/.test(name) && name.length <= 15 && name !== '.' && name !== '..';
    if (!isName) complain(`"${name}" is no interface name of at most 15 characters`);
    else if (name === 'lo') complain('"lo" is no interface of a guest');
    return isName && name !== 'lo';
  });
}

/** Whether two ranges share a port. */
export function overlaps(a: PortRange, b: PortRange): boolean {
  return a.first <= b.last && b.first <= a.last;
}

/** Whether all of `inner` lies in `outer`. */
export function contains(outer: Cidr, inner: Cidr): boolean {
  if (outer.family !== inner.family) return false;
  const [network, length] = ipaddr.parseCIDR(outer.text);
  const [address, innerLength] = ipaddr.parseCIDR(inner.text);
  if (innerLength < length) return false;
  return address instanceof ipaddr.IPv4
    ? address.match(network as ipaddr.IPv4, length)
    : address.match(network as ipaddr.IPv6, length);
}
