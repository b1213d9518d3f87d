import { deliverySource } from '../lib/proxy-addresses.ts';
import type { Family } from './config.ts';

/** Tables in the order in which they are committed: what only prepares comes first, what diverts last. */
export const tables = ['mangle', 'nat'] as const;

export type Table = (typeof tables)[number];

/** One packet-filter rule. */
export interface RedirectRule {
  readonly table: Table;
  readonly chain: string;
  /** Where it goes in its chain; a number is a position counted from 1. */
  readonly at: 'end' | number;
  /** Matches and target, as `iptables -A CHAIN` takes them. */
  readonly args: readonly string[];
  /** Why it is there, in a few words for people; no part of the rule. */
  readonly purpose: string;
}

/** A part of the host's routing that redirection needs; known again by {@link ownProtocol}. */
export type RoutingItem =
  | { readonly kind: 'address'; readonly family: 'IPv6'; readonly address: string }
  | { readonly kind: 'route'; readonly family: Family; readonly table: number }
  | { readonly kind: 'rule'; readonly family: Family; readonly mark: number; readonly table: number };

/** Chains of ours, by table. No other command may use these names. */
export const ownChains: Readonly<Record<Table, readonly string[]>> = {
  mangle: ['MESH_DIVERT', 'MESH_TPROXY', 'MESH_INBOUND'],
  nat: ['MESH_INBOUND', 'MESH_REDIRECT', 'MESH_IN_REDIRECT', 'MESH_OUTPUT'],
};

/**
 * Comment of our rules in built-in chains that jump to no chain of ours: by it they are known again. It names the program,
 * which nobody else's rules do, and needs no quotes.
 */
export const ownComment = 'pilot-agent-istio-iptables';

/**
 * Origin of our routing rules and routes (`protocol` of rtnetlink(7)), and metric of our address, which has no origin:
 * by it they are known again.
 */
export const ownProtocol = 213;

/** A family's addresses that the rules name. */
export interface LocalAddresses {
  readonly loopback: string;
  /** What the proxy calls its own application from. */
  readonly delivery: string;
  /** Bits of one address. */
  readonly bits: number;
}

export const localAddresses: Readonly<Record<Family, LocalAddresses>> = {
  IPv4: { loopback: '127.0.0.1', delivery: deliverySource.IPv4, bits: 32 },
  IPv6: { loopback: '::1', delivery: deliverySource.IPv6, bits: 128 },
};
