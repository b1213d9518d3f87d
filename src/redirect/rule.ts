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

/** A part of the host's routing that redirection needs. All of it carries our protocol number: see {@link ownProtocol}. */
export type RoutingItem =
  | { readonly kind: 'address'; readonly family: 'IPv6'; readonly address: string }
  | { readonly kind: 'route'; readonly family: Family; readonly table: number }
  | { readonly kind: 'rule'; readonly family: Family; readonly mark: number; readonly table: number };

/** Chains of ours, by table. No other command may use these names. */
export const ownChains: Readonly<Record<Table, readonly string[]>> = {
  mangle: ['MESH_DIVERT', 'MESH_TPROXY', 'MESH_INBOUND'],
  nat: ['MESH_INBOUND', 'MESH_REDIRECT', 'MESH_IN_REDIRECT', 'MESH_OUTPUT'],
};

/** Comment of our rules in built-in chains that jump to no chain of ours: by it they are known again. */
export const ownComment = 'mesh';

/** Origin of our routing rules, routes and addresses (rtnetlink(7), `protocol`): by it they are known again. */
export const ownProtocol = 213;
