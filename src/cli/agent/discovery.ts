import { join } from 'node:path';
import type { DiscoverySettings } from '../../agent/agent-parts.ts';
import type { AgentSettings } from '../../config/agent-settings.ts';
import type { Environment } from '../../config/environment.ts';
import type { Settings } from '../../config/settings.ts';
import { type AuthorityOptions, isPlaintext } from '../../identity/authority.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ProxyIdentity } from '../../live/node-id.ts';
import type { BootstrapChoice } from './bootstrap-choice.ts';

/**
 * The control plane that the configuration comes from, where nothing names policies: a `discoveryAddress` that somebody set.
 * Its default is a name of Kubernetes: in a pod it counts too, elsewhere it is nobody's wish.
 */
export function discoveryAddressOf(
  policies: readonly string[],
  settings: Settings,
  environment: Environment,
): string | undefined {
  const { proxy, origins, configSources } = settings;
  if (policies.length > 0 || configSources.length > 0 || proxy.discoveryAddress === '') return undefined;
  const isSet = (origins['proxy.discoveryAddress']?.source ?? 'default') !== 'default';
  return isSet || isInPod(environment) ? proxy.discoveryAddress : undefined;
}

/** Variables that choose Secrets of gateways, of which the control plane gives those of the gateway's own namespace alone. */
const secretVariables = ['INGRESS_GATEWAY_NAMESPACE', 'INGRESS_GATEWAY_FALLBACK_SECRET'] as const;

const whyUnused: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    secretVariables.map((name) => [
      name,
      'has no effect: meshd chooses the Secrets of a gateway, from its own namespace',
    ]),
  ),
  PILOT_ENABLED_SERVICE_APIS:
    'has no effect on an agent that gets its configuration from meshd: set it in the environment of meshd',
};

/**
 * The environment without what only an agent that compiles reads, where the configuration comes from `discoveryAddress`: a
 * mistake in it is none there.
 */
export function countingVariables(environment: Environment, discoveryAddress: string | undefined): Environment {
  return discoveryAddress === undefined ? environment : { ...environment, PILOT_ENABLED_SERVICE_APIS: undefined };
}

/** What is said of variables that are set, and have no effect on a configuration of the control plane. */
export function unusedVariables(environment: Environment): readonly string[] {
  return Object.entries(whyUnused)
    .filter(([name]) => (environment[name] ?? '') !== '')
    .map(([name, why]) => `${name} ${why}`);
}

/** Kubernetes tells each container where its API server is. */
function isInPod({ KUBERNETES_SERVICE_HOST: host = '' }: Environment): boolean {
  return host !== '';
}

/** Settings of the client of the control plane; throws a UsageError for what cannot come from one. */
export function discoverySettingsOf(
  address: string,
  { settings, agent, identity, bootstrap, authority }: DiscoverySources,
  envoyVersion: () => Promise<string>,
): DiscoverySettings {
  if (isPlaintext(address))
    throw new UsageError(`discoveryAddress "${address}": configuration comes over TLS alone, expected port 15012`);
  if (bootstrap.mustValidate)
    throw new UsageError(
      'a bootstrap or template of your own is not supported with configuration from discoveryAddress: remove it, or compile here with --policies',
    );
  const { provisionedFolder } = agent.certificates;
  return {
    address,
    identityPrefix: `spiffe://${settings.trustDomain}/ns/${identity.namespace}/`,
    rootPath: authority?.rootPath ?? join(provisionedFolder ?? '.', 'root-cert.pem'),
    maxAgeMs: agent.discoveryCacheMaxAgeMs,
    envoyVersion,
  };
}

/** Where the settings of the client come from. */
export interface DiscoverySources {
  readonly settings: Settings;
  readonly agent: AgentSettings;
  readonly identity: ProxyIdentity;
  readonly bootstrap: BootstrapChoice;
  readonly authority: AuthorityOptions | undefined;
}
