import type { BootstrapIR } from '../ir/proxy.ts';
import { expectValue, type Lose } from './expect.ts';
import type { Fragment } from './fragment.ts';

/** A bootstrap is the user's own, as long as it takes listeners and clusters from where they are written. */
export function bootstrapLosses(json: Fragment, { configPath }: BootstrapIR, lose: Lose): void {
  const sources = json.at('dynamic_resources');
  expectValue(sources.at('lds_config', 'path_config_source', 'path'), `${configPath}/listeners.json`, lose);
  expectValue(sources.at('cds_config', 'path_config_source', 'path'), `${configPath}/clusters.json`, lose);
}
