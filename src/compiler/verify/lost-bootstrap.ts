import { Fragment } from '../../envoy/api/fragment.ts';
import type { BootstrapIR } from '../ir/proxy.ts';
import type { Delivery } from '../render/resource.ts';
import { expectValue, type Lose } from './expect.ts';
import { adminRouteLosses } from './lost-admin.ts';
import { figureLosses } from './lost-figures.ts';

/**
 * A bootstrap is the user's own, as long as it takes listeners and clusters from where they are written, and lets nobody
 * outside reach the admin interface, which changes what is in force and shows everything.
 */
export function bootstrapLosses(json: Fragment, { configPath }: BootstrapIR, delivery: Delivery, lose: Lose): void {
  const sources = json.at('dynamic_resources');
  if (delivery === 'ads') streamLosses(sources, lose);
  else {
    expectValue(sources.at('lds_config', 'path_config_source', 'path'), `${configPath}/listeners.json`, lose);
    expectValue(sources.at('cds_config', 'path_config_source', 'path'), `${configPath}/clusters.json`, lose);
  }
  adminLosses(json.at('admin', 'address'), lose);
}

function streamLosses(sources: Fragment, lose: Lose): void {
  for (const name of ['lds_config', 'cds_config']) {
    const stream = sources.at(name, 'ads');
    if (!stream.exists) lose(stream, `${name} is not the control plane's stream`);
  }
  const [service] = sources.at('ads_config', 'grpc_services').items;
  const cluster = (service ?? sources.at('ads_config')).at('envoy_grpc', 'cluster_name');
  expectValue(cluster, 'xds-grpc', lose);
}

/** What only a bootstrap that a user wrote a part of can lack; ours would be searched in vain, once a proxy. */
export function userBootstrapLosses(json: Fragment, bootstrap: BootstrapIR, lose: Lose): void {
  adminRouteLosses(json, bootstrap, lose);
  figureLosses(json, lose);
}

/** What an override may not move: the agent, and its own parts of the bootstrap, look for it where it was. */
const fixed: readonly (readonly string[])[] = [
  ['admin', 'address'],
  ['dynamic_resources', 'ads_config'],
  ['dynamic_resources', 'cds_config'],
  ['dynamic_resources', 'lds_config'],
];

/** Whether an override left alone what the agent relies on; a cluster cannot be replaced, for lists are appended. */
export function overrideLosses(json: Fragment, before: object, lose: Lose): void {
  const original = new Fragment(before);
  for (const path of fixed) {
    const now = json.at(...path);
    if (JSON.stringify(now.value) === JSON.stringify(original.at(...path).value)) continue;
    lose(now, `the override moves ${path.join('.')}, which the agent relies on`);
  }
}

function adminLosses(address: Fragment, lose: Lose): void {
  if (!address.exists || address.at('pipe').exists) return;
  const host = address.at('socket_address', 'address');
  if (/^(127\.\d+\.\d+\.\d+|::1)$/.test(String(host.value))) return;
  lose(host, `the admin interface is at ${JSON.stringify(host.value)}, not on loopback or a Unix socket`);
}
