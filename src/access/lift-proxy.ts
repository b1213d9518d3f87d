import { type Cluster, liftCluster } from './lift/cluster.ts';
import { LiftedResources } from './lift/lifted-resources.ts';
import { type Listener, liftListener } from './lift/listener.ts';
import { liftRouteTable, type RouteTable } from './lift/route.ts';

type Json = Readonly<Record<string, unknown>>;

/** The parts of one proxy's configuration that decide about requests. */
export interface LiftedProxy {
  /** By name. */
  readonly listeners: ReadonlyMap<string, Listener>;
  readonly routes: ReadonlyMap<string, RouteTable>;
  readonly clusters: ReadonlyMap<string, Cluster>;
}

/** The resources of one proxy, as JSON. */
export interface ProxyResources {
  readonly listeners: readonly Json[];
  readonly routes: readonly Json[];
  readonly clusters: readonly Json[];
}

/** Reads what the resources of one proxy mean for requests; they are in the canonical form of Envoy's API. */
export function liftProxy({ listeners, routes, clusters }: ProxyResources): LiftedProxy {
  return {
    listeners: new LiftedResources(listeners, liftListener),
    routes: new LiftedResources(routes, liftRouteTable),
    clusters: new LiftedResources(clusters, liftCluster),
  };
}
