import type { SourceSpan } from '../../diagnostics/span.ts';
import type { PolicyOrigin } from '../ir/origin.ts';

/** What Envoy calls LDS, RDS, CDS and EDS resources, and the bootstrap. */
export type ResourceType = 'bootstrap' | 'listener' | 'route' | 'cluster' | 'endpoints';

/** Full names of their messages. */
export const messageTypes: Readonly<Record<ResourceType, string>> = {
  bootstrap: 'envoy.config.bootstrap.v3.Bootstrap',
  listener: 'envoy.config.listener.v3.Listener',
  route: 'envoy.config.route.v3.RouteConfiguration',
  cluster: 'envoy.config.cluster.v3.Cluster',
  endpoints: 'envoy.config.endpoint.v3.ClusterLoadAssignment',
};

/**
 * How Envoy gets its resources: from files, with the endpoints of each cluster in it; or from a control plane over one
 * stream (ADS), with the endpoints as resources of their own.
 */
export type Delivery = 'files' | 'ads';

/** Who decided one fragment of a resource. `path` is the fragment's JSON path inside the resource. */
export interface FragmentOrigin {
  readonly path: string;
  readonly decidedBy: readonly PolicyOrigin[];
  readonly overrode: readonly PolicyOrigin[];
}

/** One Envoy resource, rendered once however many proxies carry it. */
export interface Resource {
  readonly type: ResourceType;
  readonly name: string;
  /** Canonical JSON, indented by two, without a final newline. */
  readonly text: string;
  /** The message in canonical form; `text` says it. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly origins: readonly FragmentOrigin[];
  /** The line of the user's template that wrote the fragment at `path`; absent where all templates are the built-in ones. */
  readonly placeInTemplate?: (path: string) => SourceSpan | undefined;
  /** What it was before the user's override was laid over it; a bootstrap's only. */
  readonly overridden?: Readonly<Record<string, unknown>>;
}

/** Resources, sorted by name within each list. What many proxies have alike is one object. */
export interface ResourceSet {
  readonly listeners: readonly Resource[];
  readonly clusters: readonly Resource[];
  readonly routes: readonly Resource[];
}

/** One proxy's configuration: its own resources and those that it shares; the lists are both together. */
export interface EnvoyConfig extends ResourceSet {
  readonly namespace: string;
  readonly workload: string;
  readonly bootstrap: Resource;
  /** Worker threads that an object of the inputs asks for; 0: one a processor. Absent: none does. */
  readonly concurrency?: number | undefined;
  readonly own: ResourceSet;
  /** The same object for all proxies of one client scope. */
  readonly shared: ResourceSet;
  readonly delivery: Delivery;
  /** No listener of the two sets is left out. */
  readonly hasAllListeners: boolean;
  /** Of clusters of its own and shared ones, by their names; none in the form of files, whose clusters hold them. */
  readonly endpoints: readonly Resource[];
  readonly ownEndpoints: readonly Resource[];
  /** The same object as long as none of them changes: beside the set, which stays as it is when they do. */
  readonly sharedEndpoints: readonly Resource[];
}
