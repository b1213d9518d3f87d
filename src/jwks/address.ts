import ipaddr from 'ipaddr.js';

/** What an address that key sets may not come from is; `undefined` for a public one. */
export type AddressKind =
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'metadata'
  | 'unspecified'
  | 'multicast'
  | 'special-purpose'
  | undefined;

/** Metadata services that stand outside the link-local range (RFC 3927, RFC 4291), by cloud vendors' manuals. */
const metadataAddresses: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

const kinds: Readonly<Record<string, AddressKind>> = {
  loopback: 'loopback',
  private: 'private',
  carrierGradeNat: 'private',
  uniqueLocal: 'private',
  linkLocal: 'link-local',
  unspecified: 'unspecified',
  multicast: 'multicast',
  broadcast: 'multicast',
};

/**
 * The kind of an IP address as the special-purpose registries of RFC 6890 tell it. IPv4 addresses inside IPv6 ones
 * (mapped, RFC 4291 2.5.5.2; NAT64, RFC 6052 and RFC 8215; translated, RFC 7915; 6to4, RFC 3056) count as what they
 * carry, and where they carry a public one still as special-purpose, but for `64:ff9b::/96`, by which DNS64 reaches the
 * IPv4 Internet. A text that is no address is special-purpose.
 */
export function addressKind(text: string): AddressKind {
  if (!ipaddr.isValid(text)) return 'special-purpose';
  const address = ipaddr.parse(text);
  if (metadataAddresses.has(address.toString())) return 'metadata';
  if (address instanceof ipaddr.IPv4) {
    const range = address.range();
    return range === 'unicast' ? undefined : (kinds[range] ?? 'special-purpose');
  }
  const carried = carriedIpv4(address);
  if (carried !== undefined) {
    const kind = addressKind(carried);
    return kind ?? (isWellKnownNat64(address) ? undefined : 'special-purpose');
  }
  const range = address.range();
  // RFC 4291 2.4: global unicast is 2000::/3 so far; the library calls all that is left unicast.
  if (range === 'unicast') return ((address.parts[0] ?? 0) & 0xe000) === 0x2000 ? undefined : 'special-purpose';
  return kinds[range] ?? 'special-purpose';
}

function carriedIpv4(address: ipaddr.IPv6): string | undefined {
  const [a = 0, b = 0, c = 0] = address.parts;
  if (a === 0x2002) return dotted(b, c);
  const isTail =
    (a === 0x64 && b === 0xff9b) ||
    address.range() === 'ipv4Mapped' ||
    address.range() === 'rfc6145' ||
    (address.parts.slice(0, 6).every((part) => part === 0) && (address.parts[6] ?? 0) !== 0);
  return isTail ? dotted(address.parts[6] ?? 0, address.parts[7] ?? 0) : undefined;
}

function isWellKnownNat64(address: ipaddr.IPv6): boolean {
  return [0x64, 0xff9b, 0, 0, 0, 0].every((part, i) => address.parts[i] === part);
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
