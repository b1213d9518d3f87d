import ipaddr from 'ipaddr.js';

/** Whether the text is one IPv4 address in four decimal parts, or one IPv6 address without a zone. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || isV6(text);
}

/** Whether the text is `host:port`, an IPv6 address in brackets; the port is from 1 to 65535. */
export function isHostAndPort(text: string): boolean {
  const [, bracketed, name = '', port = ''] = /^(?:\[([^\]]*)\]|([^:[\]\s/~]{1,253})):(\d{1,5})$/.exec(text) ?? [];
  if (Number(port) < 1 || Number(port) > 65535) return false;
  return bracketed === undefined ? name !== '' : isV6(bracketed);
}

/** Takes apart what `isHostAndPort` holds for; the brackets of an IPv6 address fall away. */
export function splitHostAndPort(text: string): { readonly host: string; readonly port: number } {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(text.slice(at + 1)) };
}

function isV6(text: string): boolean {
  return text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text);
}

/** One address of a network interface, as the system lists them. */
export interface InterfaceAddress {
  readonly address: string;
  /** Whether the interface is the loopback one. */
  readonly internal: boolean;
}

const unusable: ReadonlySet<string> = new Set(['linkLocal', 'loopback', 'multicast', 'unspecified']);

/** Those that others can reach, in their order, each once; an IPv4 address inside an IPv6 one is taken out of it. */
export function reachableAddresses(addresses: Iterable<InterfaceAddress>): readonly string[] {
  const found = new Set<string>();
  for (const { address, internal } of addresses) {
    if (internal || !ipaddr.isValid(address)) continue;
    const plain = ipaddr.process(address);
    if (!unusable.has(plain.range())) found.add(plain.toString());
  }
  return [...found];
}

/** The address without an IPv6 one around it; undefined when it is no single address. */
export function plainAddress(text: string): string | undefined {
  return isAddress(text) ? ipaddr.process(text).toString() : undefined;
}
