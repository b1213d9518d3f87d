import type { ClusterIR, EndpointsIR } from './cluster.ts';
import type { ListenerIR } from './listener.ts';
import type { ReportsIR } from './reports.ts';
import type { RouteConfigurationIR } from './route.ts';

/** What the bootstrap says of one proxy. */
export interface BootstrapIR {
  readonly nodeId: string;
  readonly serviceCluster: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly locality: { readonly region: string; readonly zone: string; readonly subZone: string } | undefined;
  /** Worker threads that an object of the inputs asks for; 0: one a processor. Absent: none does. */
  readonly concurrency?: number;
  readonly adminPort: number;
  readonly statusPort: number;
  /** Loopback and wildcard of the proxy's first family. */
  readonly localhost: '127.0.0.1' | '::1';
  readonly wildcard: '0.0.0.0' | '::';
  /** Where metrics are answered; absent: on the wildcard. */
  readonly metricsHost?: '127.0.0.1' | '::1' | undefined;
  readonly configPath: string;
  readonly initialFetchTimeoutMs: number;
  readonly statsInclusion: {
    readonly prefixes: readonly string[];
    readonly suffixes: readonly string[];
    readonly regexps: readonly string[];
  };
  readonly extraStatTags: readonly string[];
  readonly outlierLogPath: string;
  readonly overload: OverloadIR;
  /** Whom the proxy reports to; absent: nobody. */
  readonly reports?: ReportsIR;
}

/** Where Envoy stops taking more (its overload manager). */
export interface OverloadIR {
  readonly maxConnections: number;
  /** Undefined where nothing limits memory. */
  readonly maxHeapBytes: number | undefined;
  /** Memory beyond this goes back to the machine once it is not used; undefined where nothing limits memory. */
  readonly keptHeapBytes: number | undefined;
}

/** A clash of two services whose younger side was left out: the gauge that counts it, and the key under that gauge. */
export interface ConflictIR {
  readonly metric:
    | 'pilot_conflict_inbound_listener'
    | 'pilot_conflict_outbound_listener_http_over_current_tcp'
    | 'pilot_conflict_outbound_listener_tcp_over_current_http'
    | 'pilot_conflict_outbound_listener_tcp_over_current_tcp'
    | 'pilot_vservice_dup_domain'
    | 'pilot_total_rejected_configs'
    | 'pilot_duplicate_envoy_clusters'
    | 'pilot_dns_cluster_without_endpoints'
    | 'pilot_eds_no_instances';
  readonly key: string;
}

/** Resources that every proxy of one client scope has alike: lowered once. */
export interface OutboundIR {
  readonly listeners: readonly ListenerIR[];
  readonly routes: readonly RouteConfigurationIR[];
  readonly clusters: readonly ClusterIR[];
  /** Absent means none; sorted by metric, then key. */
  readonly conflicts?: readonly ConflictIR[];
}

/** Resources of one workload alone. */
export interface InboundIR {
  readonly listeners: readonly ListenerIR[];
  readonly routes: readonly RouteConfigurationIR[];
  readonly clusters: readonly ClusterIR[];
  /** Absent means none; sorted by metric, then key. */
  readonly conflicts?: readonly ConflictIR[];
}

/**
 * The endpoints of a half's clusters of type `eds`: all that changes when an endpoint becomes ready or not. The same
 * object as long as none does.
 */
export interface AssignmentsIR {
  /** Sorted by names of clusters. */
  readonly endpoints: readonly EndpointsIR[];
  /** Where in this list a cluster's stand, by its name: the same object whatever these clusters are assigned. */
  readonly places: ReadonlyMap<string, number>;
  /** Clusters that nobody serves. */
  readonly conflicts: readonly ConflictIR[];
}

/** One proxy's configuration before it takes Envoy's form. `outbound` is the same object for equal scopes. */
export interface ProxyIR {
  readonly namespace: string;
  readonly workload: string;
  readonly addresses: readonly string[];
  readonly bootstrap: BootstrapIR;
  readonly inbound: InboundIR;
  readonly outbound: OutboundIR;
  readonly assignments: { readonly inbound: AssignmentsIR; readonly outbound: AssignmentsIR };
}
