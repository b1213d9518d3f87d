import { Fragment } from '../../envoy/api/fragment.ts';
import type { ClusterIR } from '../ir/cluster.ts';
import type { ListenerIR } from '../ir/listener.ts';
import type { ProxyIR } from '../ir/proxy.ts';
import type { RouteConfigurationIR } from '../ir/route.ts';
import type { Resource } from '../render/resource.ts';
import type { Lose } from './expect.ts';
import type { Findings } from './finding.ts';
import { bootstrapLosses, overrideLosses, userBootstrapLosses } from './lost-bootstrap.ts';
import { clusterLosses } from './lost-cluster.ts';
import { listenerLosses } from './lost-listener.ts';
import { routeLosses } from './lost-route.ts';

/**
 * Reads the rendered JSON back and compares it with the IR, without looking at views and templates: a template that
 * drops a rule, or widens what a chain or route matches, is caught here. `wanted` is the IR object of the resource.
 */
export function checkLosses(resource: Resource, wanted: object | undefined, proxy: ProxyIR, findings: Findings): void {
  const lose: Lose = ({ path }, loss) => {
    findings.report('template-lost-rule', path, { resource: findings.label, loss });
  };
  const json = new Fragment(resource.json);
  if (resource.type === 'bootstrap') {
    bootstrapLosses(json, proxy.bootstrap, lose);
    if (resource.placeInTemplate !== undefined) userBootstrapLosses(json, proxy.bootstrap, lose);
    if (resource.overridden !== undefined) overrideLosses(json, resource.overridden, lose);
    return;
  }
  if (wanted === undefined) {
    lose(json, 'nothing asks for it');
    return;
  }
  if (json.at('name').value !== resource.name) {
    lose(json.at('name'), `its name is ${JSON.stringify(json.at('name').value)}`);
  }
  if (resource.type === 'listener') listenerLosses(json, wanted as ListenerIR, lose);
  else if (resource.type === 'cluster') clusterLosses(json, wanted as ClusterIR, lose);
  else routeLosses(json, wanted as RouteConfigurationIR, lose);
}
