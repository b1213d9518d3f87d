import { echoCluster } from '../../gauge/echo.ts';
import { firstPort } from '../../testbed/gauge/envoy-config.ts';
import type { EditBootstrap } from '../../testbed/gauge/gauge.ts';
import type { GaugedMesh } from '../gauged-mesh.ts';
import { alterAll, type Change } from './alter.ts';
import { alterations, beside, filesFolder, spareCluster } from './alterations.ts';
import {
  connectionAuthorizer,
  echoOnPort,
  fullCluster,
  originalSource,
  requestAuthorizers,
  statusMapper,
} from './upstream.ts';

type Json = Readonly<Record<string, unknown>>;

/** A workload once more at an address of its own, perhaps with one field altered. */
export interface Copy {
  readonly mesh: GaugedMesh;
  /** Whether it goes to its upstream, a socket, with the address of its client. */
  readonly takesSource: boolean;
  readonly field?: { readonly type: string; readonly field: string };
}

/** What is noted while a bootstrap is put together. */
interface Notes {
  /** Altered messages, by address of the copy. */
  readonly counts: Map<string, number>;
  /** Files that altered configurations name, by their names in the folder of files. */
  readonly files: Map<string, Json>;
}

/** Where a proxy gets its routes from is altered in the manager that names them. */
const rdsType = 'envoy.extensions.filters.network.http_connection_manager.v3.Rds';
const listenerType = 'envoy.config.listener.v3.Listener';
const managerType = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const clusterType = 'envoy.config.cluster.v3.Cluster';

/** In how many messages a field would be altered in the compiled configuration of a workload, before any are added. */
export function alterableIn({ config }: GaugedMesh, field: NonNullable<Copy['field']>): number {
  const change = changeOf(field, new Map());
  const routes = 'envoy.config.route.v3.RouteConfiguration';
  const counts = [
    ...config.listeners.map((one) => alterAll(withoutType(one), listenerType, field.type, change).count),
    ...config.routes.map((one) => alterAll(withoutType(one), routes, field.type, change).count),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The gauge's bootstrap with clusters of their own for each copy, and its field altered; counts altered messages by address. */
export function bootstrapOf(
  { bootstrap, redirects }: Parameters<EditBootstrap>[0],
  copies: readonly Copy[],
  { counts, files }: Notes,
): object {
  const { static_resources, ...rest } = bootstrap as {
    readonly static_resources: { listeners: Json[]; clusters: Json[]; secrets: Json[] };
  };
  const listeners: Json[] = [];
  const clusters: Json[] = [fullCluster(spareCluster, false)];
  copies.forEach(({ mesh, field, takesSource }, k) => {
    const names = mesh.config.clusters.map(({ name }) => String(name));
    const indexes = redirects.flatMap(({ address, port }) => (address === mesh.address ? [port - firstPort] : []));
    const change = field === undefined ? undefined : changeOf(field, files);
    const alter = (message: Json, type: string): Json => {
      if (field === undefined || change === undefined) return message;
      // The gauge has the routes in the listener; elsewhere they are read by themselves.
      const target = field.type === rdsType ? managerType : field.type;
      const { altered, count } = alterAll(message, type, target, change);
      counts.set(mesh.address, (counts.get(mesh.address) ?? 0) + count);
      return altered;
    };
    for (const index of indexes) {
      const listener = renamed(static_resources.listeners[index] as Json, names, k);
      listeners.push(alter(withMore(listener, takesSource), listenerType));
    }
    names.forEach((name, i) => {
      const own = `${name}~${k}`;
      const cluster = takesSource ? (echoCluster(own) as Json) : fullCluster(own, i % 2 === 1);
      clusters.push(alter(cluster, clusterType));
    });
  });
  for (const secret of static_resources.secrets) {
    const resource = { '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret', ...secret };
    files.set(`${String(secret.name)}.json`, { version_info: '1', resources: [resource] });
  }
  const echo = static_resources.listeners.at(-1) as Json;
  return {
    ...rest,
    static_resources: { ...static_resources, listeners: [...listeners, echo, echoOnPort(echo)], clusters },
  };
}

function changeOf({ type, field }: NonNullable<Copy['field']>, files: Map<string, Json>): Change {
  if (type === rdsType) return (manager) => withRoutesApart(manager, files);
  const other = alterations[type]?.[field];
  if (other === undefined) throw new Error(`no other value of ${type}.${field} is known`);
  return (message) => {
    const value = other(message[field], message);
    if (JSON.stringify(value) === JSON.stringify(message[field])) return undefined;
    return { ...message, ...beside[`${type}.${field}`], [field]: value };
  };
}

function withRoutesApart({ route_config, ...manager }: Json, files: Map<string, Json>): Json | undefined {
  if (route_config === undefined) return undefined;
  const routes = route_config as Json;
  const name = `routes-${files.size}.json`;
  const resource = { '@type': 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration', ...routes };
  files.set(name, { version_info: '1', resources: [resource] });
  const path_config_source = { path: `${filesFolder}/${name}` };
  return { ...manager, rds: { route_config_name: routes.name, config_source: { path_config_source } } };
}

function renamed(listener: Json, names: readonly string[], k: number): Json {
  let text = JSON.stringify(listener);
  for (const name of names) text = text.replaceAll(JSON.stringify(name), JSON.stringify(`${name}~${k}`));
  return JSON.parse(text);
}

/** What the compiler writes seldom: external authorizers before each router and each chain of bytes, and a mapping of answers. */
function withMore(listener: Json, takesSource: boolean): Json {
  const { altered } = alterAll(listener, listenerType, managerType, ({ http_filters, local_reply_config, ...rest }) => {
    const filters = http_filters as readonly Json[];
    const { mappers = [] } = (local_reply_config ?? {}) as { readonly mappers?: readonly Json[] };
    return {
      ...rest,
      http_filters: [...filters.slice(0, -1), ...requestAuthorizers(spareCluster), ...filters.slice(-1)],
      local_reply_config: { mappers: [...mappers, statusMapper] },
    };
  });
  const chain = 'envoy.config.listener.v3.FilterChain';
  const full = alterAll(altered, listenerType, chain, ({ filters, ...rest }) => {
    const all = filters as readonly { readonly typed_config: Json }[];
    const isTcp = String(all.at(-1)?.typed_config['@type']).endsWith('TcpProxy');
    return {
      ...rest,
      filters: isTcp ? [...all.slice(0, -1), connectionAuthorizer(spareCluster), ...all.slice(-1)] : all,
    };
  }).altered;
  const inspectors = (full.listener_filters ?? []) as readonly Json[];
  return takesSource ? { ...full, listener_filters: [...inspectors, originalSource] } : full;
}

function withoutType({ '@type': _type, ...message }: Json): Json {
  return message;
}
