/** Who is asked: a server of the system's resolver, or the mesh's over TLS. */
export const upstreams = ['plain', 'tls'] as const;
export type Upstream = (typeof upstreams)[number];

/** Hears of what the DNS server does; metrics are made of it. */
export interface DnsObserver {
  /** A client asked. */
  requested(): void;
  /** A client was told that nobody could be asked. */
  failed(): void;
  /** A query was sent to a server, once for each attempt. */
  asked(upstream: Upstream): void;
  /** Such an attempt brought no answer. */
  missed(upstream: Upstream): void;
  /** Such an attempt brought one, so many milliseconds later. */
  answered(upstream: Upstream, ms: number): void;
  /** So many queries wait for the mesh's server now. */
  pending(count: number): void;
}
