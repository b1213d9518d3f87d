import { isIP } from 'node:net';

/** Address that a server listens on; an empty host means every address. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Parses `host:port`, `[::1]:port` or `:port`; undefined for any other text. */
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

/** The address of a peer without its port; an IPv4 address that came over an IPv6 socket as IPv4. */
export function addressOf(peer: string): string {
  const address = peer.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
