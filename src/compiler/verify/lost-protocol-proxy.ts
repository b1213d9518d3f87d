import type { Fragment } from '../../envoy/api/fragment.ts';
import type { RedisProxyIR, ThriftProxyIR } from '../ir/listener.ts';
import { expectValue, type Lose, texts } from './expect.ts';
import { shareLosses } from './lost-shares.ts';

/** All commands go to one cluster and nowhere else, but for those that are refused. */
export function redisLosses(config: Fragment, ir: RedisProxyIR, lose: Lose): void {
  const routes = config.at('prefix_routes');
  expectValue(routes.at('catch_all_route', 'cluster'), ir.cluster, lose);
  const further = ['request_mirror_policy', 'read_command_policy'].map((field) => routes.at('catch_all_route', field));
  for (const route of [routes.at('routes'), ...further]) {
    if (route.exists) lose(route, 'no rule asks for further routes');
  }
  // To where a server says, which may be no endpoint of the mesh.
  expectValue(config.at('settings', 'enable_redirection'), false, lose, false);
  const refused = config
    .at('faults')
    .items.filter(isRefusal)
    .map((fault) => texts(fault.at('commands')));
  const commands = refused.flat().map((command) => command.toUpperCase());
  const missing = ir.refusedCommands.filter((command) => !commands.includes(command));
  if (missing.length > 0) lose(config, `no fault refuses ${missing.join(', ')}`);
}

/** Of every command of its list, always. */
function isRefusal(fault: Fragment): boolean {
  const share = fault.at('fault_enabled', 'default_value');
  const isAlways = share.at('numerator').value === 100 && (share.at('denominator').value ?? 'HUNDRED') === 'HUNDRED';
  return (
    (fault.at('fault_type').value ?? 'ERROR') === 'ERROR' &&
    isAlways &&
    !fault.at('fault_enabled', 'runtime_key').exists
  );
}

/** One route, for all methods. */
export function thriftLosses(config: Fragment, ir: ThriftProxyIR, lose: Lose): void {
  const routes = config.at('route_config', 'routes');
  const [route, ...others] = routes.items;
  if (route === undefined || others.length > 0 || config.at('trds').exists) {
    lose(routes, 'it is not one route for all methods');
    return;
  }
  const match = route.at('match');
  if (match.fields.some((field) => field !== 'method_name') || (match.at('method_name').value ?? '') !== '') {
    lose(match, 'no rule asks for a match of methods');
  }
  const action = route.at('route');
  shareLosses(action, ir, lose);
  for (const field of ['cluster_header', 'request_mirror_policies']) {
    if (action.at(field).exists) lose(action.at(field), `no rule asks for ${field}`);
  }
}
