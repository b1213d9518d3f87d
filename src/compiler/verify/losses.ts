import { Fragment } from '../../envoy/api/fragment.ts';
import type { ClusterIR, EndpointsIR } from '../ir/cluster.ts';
import type { ListenerIR } from '../ir/listener.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import type { RouteConfigurationIR } from '../ir/route.ts';
import type { Delivery, Resource } from '../render/resource.ts';
import { servedCluster } from '../render/served-cluster.ts';
import type { Lose } from './expect.ts';
import type { Findings } from './finding.ts';
import { bootstrapLosses, overrideLosses, userBootstrapLosses } from './lost-bootstrap.ts';
import { clusterLosses, endpointLosses } from './lost-cluster.ts';
import { listenerLosses } from './lost-listener.ts';
import { routeLosses } from './lost-route.ts';

/**
 * Reads the rendered JSON back and compares it with the IR, without looking at views and templates: a template that
 * drops a rule, or widens what a chain or route matches, is caught here. `wanted` is the IR object of the resource.
 */
export function checkLosses(
  resource: Resource,
  wanted: object | undefined,
  { proxy, delivery }: { readonly proxy: ProxyIR; readonly delivery: Delivery },
  findings: Findings,
): void {
  const lose: Lose = ({ path }, loss) => {
    findings.report('template-lost-rule', path, { resource: findings.label, loss });
  };
  const json = new Fragment(resource.json);
  if (resource.type === 'bootstrap') {
    bootstrapLosses(json, proxy.bootstrap, delivery, lose);
    if (resource.placeInTemplate !== undefined) userBootstrapLosses(json, proxy.bootstrap, lose);
    if (resource.overridden !== undefined) overrideLosses(json, resource.overridden, lose);
    return;
  }
  if (wanted === undefined) {
    lose(json, 'nothing asks for it');
    return;
  }
  const name = json.at(resource.type === 'endpoints' ? 'cluster_name' : 'name');
  if (name.value !== resource.name) lose(name, `its name is ${JSON.stringify(name.value)}`);
  if (resource.type === 'listener') listenerLosses(json, wanted as ListenerIR, lose);
  else if (resource.type === 'endpoints') endpointLosses(json, wanted as EndpointsIR, lose);
  else if (resource.type === 'cluster') {
    const cluster = wanted as ClusterIR;
    const isApart = cluster.type === 'eds' && delivery === 'ads';
    const endpoints = cluster.type === 'eds' && !isApart ? assignmentOf(proxy.assignments, cluster.name) : undefined;
    if (isApart) clusterLosses(json, servedCluster(cluster), 'apart', lose);
    else clusterLosses(json, cluster, endpoints ?? cluster.endpoints, lose);
  } else routeLosses(json, wanted as RouteConfigurationIR, lose);
}

/** The endpoints of one cluster of type `eds`. */
export function assignmentOf({ inbound, outbound }: ProxyIR['assignments'], name: string): EndpointsIR | undefined {
  const half = inbound.places.has(name) ? inbound : outbound;
  return half.endpoints[half.places.get(name) ?? -1];
}
