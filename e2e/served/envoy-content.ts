import { decodeMessage } from '../../src/envoy/api/decode.ts';
import { encodeMessage } from '../../src/envoy/api/encode.ts';
import { type ConfigurationList, configurationTypes } from '../../src/xds/aggregated-service.ts';
import type { ServedResources } from './served-fleet.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a proxy has or is to have: each resource as text, by its type and name. */
export type Content = Readonly<Record<string, string>>;

const lists = Object.keys(configurationTypes) as readonly ConfigurationList[];

/** What a control plane serves, without routes that no listener names: Envoy does not ask for them. */
export function servedContent(served: ServedResources): Content {
  const listeners = JSON.stringify(served.listeners);
  const isNamed = (list: ConfigurationList, name: string): boolean =>
    list !== 'routes' || listeners.includes(`"route_config_name":${JSON.stringify(name)}`);
  return Object.fromEntries(
    lists.flatMap((list) =>
      served[list]
        .filter(({ name }) => isNamed(list, name))
        .map(({ name, resource }) => [`${list} ${name}`, textOf(list, resource)]),
    ),
  );
}

/**
 * What an Envoy has in force, by its `/config_dump?include_eds`. A resource that warms or was refused beside it counts
 * as one that nobody serves; the connections of a listener that was before may still drain. The clusters stand before the
 * endpoints.
 */
export function envoyContent(dump: string): Content {
  const content: Record<string, string> = {};
  // Of the other clusters Envoy tells the endpoints, too.
  const followed = new Set<unknown>();
  for (const section of (JSON.parse(dump) as { readonly configs: readonly Json[] }).configs) {
    const each = (name: string): readonly Json[] => (section[name] as readonly Json[] | undefined) ?? [];
    const put = (list: ConfigurationList, resource: unknown): void => {
      const { '@type': _type, ...rest } = resource as Json;
      content[`${list} ${rest.name ?? rest.cluster_name}`] = textOf(list, rest);
    };
    for (const { cluster } of each('dynamic_active_clusters')) {
      const { name, type } = cluster as Json;
      if (type === 'EDS') followed.add(name);
      put('clusters', cluster);
    }
    for (const { route_config } of each('dynamic_route_configs')) put('routes', route_config);
    for (const { endpoint_config } of each('dynamic_endpoint_configs')) {
      if (followed.has((endpoint_config as Json).cluster_name)) put('endpoints', endpoint_config);
    }
    for (const { name, active_state, ...beside } of each('dynamic_listeners')) {
      if (active_state !== undefined) put('listeners', (active_state as Json).listener);
      for (const state of ['warming_state', 'error_state']) if (state in beside) content[`${state} ${name}`] = '';
    }
    for (const { cluster } of each('dynamic_warming_clusters')) content[`warming ${(cluster as Json).name}`] = '';
  }
  return content;
}

/** Both sides write the same message in the words of one encoder. */
function textOf(list: ConfigurationList, resource: object): string {
  if (list === 'endpoints') return JSON.stringify(endpointsOf(resource as Assignment));
  const type = configurationTypes[list].typeUrl.replace('type.googleapis.com/', '');
  return JSON.stringify(decodeMessage(type, encodeMessage(type, resource)));
}

interface Assignment {
  readonly endpoints?: readonly {
    readonly locality?: object;
    readonly priority?: number;
    readonly lb_endpoints?: readonly {
      readonly endpoint: { readonly address: object };
      readonly metadata?: object;
      readonly load_balancing_weight?: number;
    }[];
  }[];
}

/** Envoy tells its endpoints as it has them in use, not as they came. */
function endpointsOf({ endpoints = [] }: Assignment): readonly string[] {
  return endpoints
    .flatMap(({ locality = {}, priority = 0, lb_endpoints = [] }) =>
      lb_endpoints.map(({ endpoint, metadata = {}, load_balancing_weight = 1 }) =>
        JSON.stringify([priority, locality, endpoint.address, metadata, load_balancing_weight]),
      ),
    )
    .sort();
}
