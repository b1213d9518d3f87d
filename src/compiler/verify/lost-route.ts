import type { RouteConfigurationIR, RouteIR, VirtualHostIR } from '../ir/route.ts';
import { expectList, expectValue, type Lose, texts } from './expect.ts';
import type { Fragment } from './fragment.ts';

/** Which hosts there are, and where each of their routes goes; routes are tried in order. */
export function routeLosses(json: Fragment, configuration: RouteConfigurationIR, lose: Lose): void {
  expectValue(json.at('ignore_port_in_host_matching'), true, lose, false);
  const hosts = json.at('virtual_hosts');
  const wanted = new Map(configuration.virtualHosts.map((host) => [host.name, host]));
  for (const host of hosts.items) {
    const name = String(host.at('name').value);
    const ir = wanted.get(name);
    if (ir === undefined) lose(host, `no rule asks for the virtual host "${name}"`);
    else hostLosses(host, ir, lose);
    wanted.delete(name);
  }
  for (const name of wanted.keys()) lose(hosts, `the virtual host "${name}" is missing`);
  if (json.at('vhds').exists) lose(json.at('vhds'), 'no rule asks for vhds');
}

function hostLosses(host: Fragment, ir: VirtualHostIR, lose: Lose): void {
  const domains = host.at('domains');
  expectList(domains, texts(domains), ir.domains, lose);
  if (host.at('matcher').exists) lose(host.at('matcher'), 'a matcher takes the place of the routes');
  const routes = host.at('routes');
  if (routes.items.length !== ir.routes.length) {
    lose(routes, `there are ${routes.items.length} routes, not ${ir.routes.length}`);
    return;
  }
  for (const [i, route] of ir.routes.entries()) {
    const found = routes.items[i];
    if (found !== undefined) oneRouteLosses(found, route, lose);
  }
}

function oneRouteLosses(route: Fragment, ir: RouteIR, lose: Lose): void {
  const match = route.at('match');
  const wanted = JSON.stringify(ir.match);
  if (JSON.stringify(match.value) !== wanted) lose(match, `match is ${JSON.stringify(match.value)}, not ${wanted}`);
  if (ir.action.kind === 'cluster') expectValue(route.at('route', 'cluster'), ir.action.cluster, lose);
  else expectValue(route.at('direct_response', 'status'), ir.action.status, lose);
}
