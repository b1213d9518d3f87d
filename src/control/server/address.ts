import { isIP } from 'node:net';

/** Where a server listens; an empty host is every address. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, `[::1]:port` or `:port`; undefined when it is none of them. */
export function parseAddress(text: string): Address | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return undefined;
  if (bracketed !== undefined && isIP(bracketed) !== 6) return undefined;
  return { host: bracketed ?? plain ?? '', port };
}

export function formatAddress({ host, port }: Address): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Without the port; IPv4 that came over an IPv6 socket as IPv4. */
export function addressOf(peer: string): string {
  const address = peer.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
