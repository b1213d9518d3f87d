import { isIPv4 } from 'node:net';

/** The octets of an address in text form. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = withoutDots(address).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** IPv6 may end like IPv4: `::ffff:10.0.0.1`. */
function withoutDots(address: string): string {
  const [ending, a, b, c, d] = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address) ?? [];
  if (ending === undefined) return address;
  const pair = (high?: string, low?: string): string => (Number(high) * 256 + Number(low)).toString(16);
  return `${address.slice(0, -ending.length)}${pair(a, b)}:${pair(c, d)}`;
}
