import type { ConfigurationList } from '../../xds/aggregated-service.ts';
import type { ProxyFault } from '../../xds/proxy-faults.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';

/** One encoded resource from the compile thread, with its version. */
export interface PlainResource {
  readonly name: string;
  /** First 64 bits of the SHA-256 of `body`. */
  readonly version: string;
  /** Absent where an earlier snapshot of the thread had the same resource. */
  readonly body?: Uint8Array;
}

/** A list of one type, which many proxies have in common. */
export interface PlainList {
  readonly id: string;
  readonly list: ConfigurationList;
  /** Id of a list of the snapshot before, in which these resources take the places of others; absent: they are the whole list. */
  readonly base?: string;
  readonly resources: readonly PlainResource[];
  /** Of each of the resources, its place in the base. */
  readonly places?: readonly number[];
}

/** Ids of lists, by type. */
export type ListIds = Readonly<Record<ConfigurationList, string>>;

/** One proxy, and what it is served. */
export interface PlainProxy {
  readonly namespace: string;
  readonly name: string;
  readonly serviceAccount: string;
  readonly addresses: readonly string[];
  /** Something of its change may take access away. */
  readonly isUrgent: boolean;
  /** It keeps policies that are older than the objects in force, or is closed. */
  readonly isFrozen: boolean;
  /** Why it does not have what the inputs say; absent: it has. */
  readonly faults?: readonly ProxyFault[];
  /** Numbers of halves. */
  readonly shared: number;
  readonly own: number;
  /** Of its gateway servers; absent: it has none. Keys are in them, which is why no other list has them. */
  readonly secrets?: PlainSecrets;
}

/** What many proxies have in common, or one has for itself. It keeps its number while nothing but endpoints changes. */
export interface PlainHalf {
  readonly id: number;
  readonly lists: ListIds;
}

/** Secrets of one proxy. */
export interface PlainSecrets {
  /** Digest of their names and versions. */
  readonly id: string;
  /** Absent where the snapshot before had the same ones for this proxy. */
  readonly resources?: readonly DiscoveryResource[];
}

/** Result of one compilation, as far as the previous snapshot did not have it. */
export interface PlainSnapshot {
  readonly lists: readonly PlainList[];
  /** Those that are new, or hold other lists. */
  readonly halves: readonly PlainHalf[];
  /** Numbers of halves that no proxy has any more. */
  readonly goneHalves: readonly number[];
  readonly proxies: readonly PlainProxy[];
  /** Proxies (`<namespace>/<name>`) that are there no more. */
  readonly gone: readonly string[];
}
