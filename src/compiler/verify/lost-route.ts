import type { Fragment } from '../../envoy/api/fragment.ts';
import type { RouteConfigurationIR, RouteIR, VirtualHostIR } from '../ir/route.ts';
import { expectList, expectValue, type Lose, texts } from './expect.ts';
import { routeActionLosses } from './lost-route-action.ts';
import { routeMatchLosses } from './lost-route-match.ts';

/** Which hosts there are, and where each of their routes goes; routes are tried in order. */
export function routeLosses(json: Fragment, configuration: RouteConfigurationIR, lose: Lose): void {
  expectValue(json.at('ignore_port_in_host_matching'), true, lose, false);
  overrideLosses(json.at('typed_per_filter_config'), lose);
  const removed = json.at('request_headers_to_remove');
  for (const name of configuration.requestHeadersToRemove ?? []) {
    if (!texts(removed).includes(name)) lose(removed, `${name} of clients is passed on`);
  }
  const hosts = json.at('virtual_hosts');
  const wanted = new Map(configuration.virtualHosts.map((host) => [host.name, host]));
  for (const host of hosts.items) {
    const name = String(host.at('name').value);
    const ir = wanted.get(name);
    if (ir === undefined) lose(host, `no rule asks for the virtual host "${name}"`);
    else lossesOnce(host, ir, lose);
    wanted.delete(name);
  }
  for (const name of wanted.keys()) lose(hosts, `the virtual host "${name}" is missing`);
  if (json.at('vhds').exists) lose(json.at('vhds'), 'no rule asks for vhds');
}

/** What each virtual host was found to say without a loss: it stands in the tables of many client scopes. */
const whole = new WeakMap<object, VirtualHostIR>();

function lossesOnce(host: Fragment, ir: VirtualHostIR, lose: Lose): void {
  if (whole.get(host.message) === ir) return;
  let isWhole = true;
  hostLosses(host, ir, (at, loss) => {
    isWhole = false;
    lose(at, loss);
  });
  if (isWhole) whole.set(host.message, ir);
}

function hostLosses(host: Fragment, ir: VirtualHostIR, lose: Lose): void {
  const domains = host.at('domains');
  expectList(domains, texts(domains), ir.domains, lose);
  overrideLosses(host.at('typed_per_filter_config'), lose);
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
  routeMatchLosses(route.at('match'), ir.match, lose);
  routeActionLosses(route, ir, lose);
  headerLosses(route, ir, lose);
  const features = route.at('typed_per_filter_config');
  if (ir.cors !== undefined) expectFilterConfig(features, 'envoy.filters.http.cors', lose);
  if (ir.fault !== undefined) expectFilterConfig(features, 'envoy.filters.http.fault', lose);
  overrideLosses(features, lose);
  for (const share of route.at('route', 'weighted_clusters', 'clusters').items) {
    overrideLosses(share.at('typed_per_filter_config'), lose);
  }
}

function expectFilterConfig(features: Fragment, name: string, lose: Lose): void {
  if (Object.keys(features.value ?? {}).includes(name)) return;
  lose(features, `typed_per_filter_config lacks ${name}`);
}

const accessFilter = /\.filters\.http\.(rbac|jwt_authn|ext_authz)\.|\.route\.v3\.FilterConfig$/;

/** An access filter that is another for some requests, or none. */
function overrideLosses(features: Fragment, lose: Lose): void {
  for (const name of Object.keys(features.value ?? {})) {
    const config = features.at(name);
    if (accessFilter.test(config.type ?? '')) lose(config, `no rule asks for another ${name} here`);
  }
}

/** What the application is told of a request, and what it is not to hear; a template may add its own. */
function headerLosses(route: Fragment, { requestHeaders, responseHeaders }: RouteIR, lose: Lose): void {
  for (const [side, changes] of [['request', requestHeaders] as const, ['response', responseHeaders] as const]) {
    if (changes === undefined) continue;
    const added = route.at(`${side}_headers_to_add`);
    const removed = route.at(`${side}_headers_to_remove`);
    const found = added.items.map((item) => `${item.at('header', 'key').value}: ${item.at('header', 'value').value}`);
    const wanted = changes.add.map(({ name, value }) => `${name}: ${value}`);
    expectList(
      added,
      found.filter((header) => wanted.includes(header)),
      wanted,
      lose,
    );
    const names = changes.remove;
    expectList(
      removed,
      texts(removed).filter((name) => names.includes(name)),
      names,
      lose,
    );
  }
}
