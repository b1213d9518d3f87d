import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import type { AdminAddress } from '../../envoy/admin.ts';
import { Fragment } from '../../envoy/api/fragment.ts';
import { asksForSecret, referencesOf } from '../../envoy/api/references.ts';
import type { EnvoyResource, Json, ResourceFile } from '../../envoy/api/resource-file.ts';
import type { ConfigParts } from '../../envoy/static-form.ts';
import { AgentError } from '../agent-error.ts';

/** The resources of the files, which Envoy can check as one static bootstrap. */
export function partsOf({ bootstrap, listeners, clusters, routes }: ProxyFiles): ConfigParts {
  const messages = ({ resources }: ResourceFile): readonly Json[] => resources.map(({ json }) => json);
  return {
    bootstrap,
    listeners: messages(listeners),
    clusters: messages(clusters),
    routes: [...routes.values()].flatMap(messages),
  };
}

/** Names of the route configurations that these listeners ask for over `rds`, sorted. */
export function routeNamesOf(listeners: readonly Pick<EnvoyResource, 'json'>[]): readonly string[] {
  const names = listeners.flatMap(({ json }) => referencesOf(json).filter(({ to }) => to === 'route'));
  return [...new Set(names.map(({ name }) => name))].sort();
}

/** Where the bootstrap puts Envoy's admin interface; a template of the user may have moved it. */
export function adminAddressOf({ bootstrap }: Pick<ProxyFiles, 'bootstrap'>): AdminAddress {
  const address = new Fragment(bootstrap).at('admin', 'address');
  const socketPath = address.at('pipe', 'path').text;
  if (socketPath !== undefined) return { socketPath };
  const socket = address.at('socket_address');
  const named = socket.at('address').text;
  if (named === undefined) {
    throw new AgentError('config-invalid', 'the bootstrap has no admin interface, which the agent needs');
  }
  const port = socket.at('port_value').number ?? 0;
  if (port === 0) {
    throw new AgentError(
      'config-invalid',
      "the bootstrap puts Envoy's admin interface at port 0, where the agent cannot find it: name a port",
    );
  }
  const host = named === '0.0.0.0' ? '127.0.0.1' : named === '::' ? '::1' : named;
  return { host, port };
}

/** The workload's key pair and the mesh's roots, as SDS names them. */
const meshSecrets = new Set(['default', 'ROOTCA']);

/** Whether any part of the configuration asks for the workload's certificate or the mesh's roots. */
export function usesMeshSecrets({ bootstrap, clusters, listeners }: ProxyFiles): boolean {
  const asks = (json: Json): boolean => asksForSecret(json, meshSecrets);
  // Listeners first: where the mesh has certificates they ask for one, and clusters need not be read.
  return asks(bootstrap) || [...listeners.resources, ...clusters.resources].some(({ json }) => asks(json));
}

/** Whether Envoy would see no difference. What stands beside the configuration (origins) may differ. */
export function isSame(a: ProxyFiles, b: ProxyFiles): boolean {
  return (
    a.clusters.version === b.clusters.version &&
    a.listeners.version === b.listeners.version &&
    a.routes.size === b.routes.size &&
    [...a.routes].every(([name, file]) => b.routes.get(name)?.version === file.version)
  );
}

/** Versions as a line of the log names them. */
export function versionsOf({ clusters, listeners }: ProxyFiles): {
  readonly clusters: string;
  readonly listeners: string;
} {
  return { clusters: clusters.version, listeners: listeners.version };
}
