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

function isV6(text: string): boolean {
  return text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text);
}
