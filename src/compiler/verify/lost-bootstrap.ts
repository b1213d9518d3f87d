import type { BootstrapIR } from '../ir/proxy.ts';
import { expectValue, type Lose } from './expect.ts';
import type { Fragment } from './fragment.ts';

/**
 * A bootstrap is the user's own, as long as it takes listeners and clusters from where they are written, and lets nobody
 * outside reach the admin interface, which changes what is in force and shows everything.
 */
export function bootstrapLosses(json: Fragment, { configPath }: BootstrapIR, lose: Lose): void {
  const sources = json.at('dynamic_resources');
  expectValue(sources.at('lds_config', 'path_config_source', 'path'), `${configPath}/listeners.json`, lose);
  expectValue(sources.at('cds_config', 'path_config_source', 'path'), `${configPath}/clusters.json`, lose);
  adminLosses(json.at('admin', 'address'), lose);
}

function adminLosses(address: Fragment, lose: Lose): void {
  if (!address.exists || address.at('pipe').exists) return;
  const host = address.at('socket_address', 'address');
  if (/^(127\.\d+\.\d+\.\d+|::1)$/.test(String(host.value))) return;
  lose(host, `the admin interface is at ${JSON.stringify(host.value)}, not on loopback or a Unix socket`);
}
