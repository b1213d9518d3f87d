/** Address families of the two rule lists. */
export type Family = 'IPv4' | 'IPv6';

/** Ports from `first` to `last`, both included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** An address range without host bits, as `iptables-save` prints it: `10.0.0.0/8`, `fd00::/8`. */
export interface Cidr {
  readonly family: Family;
  readonly text: string;
}

export type InterceptionMode = 'REDIRECT' | 'TPROXY';

/**
 * What is captured in a network namespace, parsed and checked: flags, variables, user database and the host's address
 * families are settled here, so that a plan needs nothing else.
 */
export interface RedirectConfig {
  readonly mode: InterceptionMode;
  /** Families that get a rule list: IPv4 always, IPv6 where the kernel has not switched it off. */
  readonly families: readonly Family[];
  /** Port of the proxy that outbound connections are led to. */
  readonly proxyPort: number;
  /** Port of the proxy that inbound connections are led to. */
  readonly inboundPort: number;
  /** Inbound port that the proxy itself serves as the end of a tunnel; never captured. */
  readonly tunnelPort: number | undefined;
  /** Owners whose packets are the proxy's own. */
  readonly proxyUids: readonly number[];
  readonly proxyGids: readonly number[];
  /** Empty: nothing inbound is captured. */
  readonly inboundPorts: 'all' | readonly PortRange[];
  /** Takes effect with `inboundPorts: 'all'`. */
  readonly excludedInboundPorts: readonly PortRange[];
  /** Empty: nothing outbound is captured, but for `outboundPorts`. */
  readonly outboundCidrs: 'all' | readonly Cidr[];
  readonly excludedOutboundCidrs: readonly Cidr[];
  /** Captured whatever the address. */
  readonly outboundPorts: readonly PortRange[];
  readonly excludedOutboundPorts: readonly PortRange[];
  /** Interfaces of guests, whose packets count as outbound ones. */
  readonly virtualInterfaces: readonly string[];
  /** Packet mark of TPROXY; the next number marks the proxy's calls to its own pod. */
  readonly tproxyMark: number;
  readonly tproxyTable: number;
  /** Port on loopback that DNS queries are led to; undefined: they are left alone. */
  readonly dnsPort: number | undefined;
}
