import { isIPv6 } from 'node:net';
import type { AgentSettings, CloudSettings } from '../../config/agent-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { AuthorityOptions } from '../../identity/authority.ts';
import { systemClock } from '../../lib/clock.ts';
import type { OutgoingObserver } from '../../lib/outgoing-observer.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type Cloud, cloudEndpoints } from '../../sts/cloud.ts';
import { createCloudExchange, createTokenExchange } from '../../sts/cloud-exchange.ts';
import type { TokenServerOptions } from '../../sts/serve-tokens.ts';
import { didYouMean } from './values.ts';

/** Names of the plug-in that exchanges tokens: ours, and Istio's. */
const plugins: readonly string[] = ['CloudTokenExchange', 'GoogleTokenExchange'];

/** Where the token service listens, and what it answers with. */
export type TokenService = Pick<TokenServerOptions, 'host' | 'port' | 'manager' | 'clock'>;

interface CloudSources {
  readonly agent: AgentSettings;
  readonly settings: Settings;
  readonly outgoing?: OutgoingObserver;
}

/**
 * The token service of `--stsPort`; undefined for port 0. Without CLOUD_METADATA the plug-in has nobody to ask for: a
 * UsageError, or with STS_LENIENT a service that answers 500. `addresses` are the proxy's own.
 */
export function tokenServiceOf(
  port: number,
  addresses: readonly string[],
  sources: CloudSources,
): TokenService | undefined {
  if (port === 0) return undefined;
  const { cloud } = sources.agent;
  const where = { host: isOnIPv6Alone(addresses) ? '::1' : '127.0.0.1', port, clock: systemClock } as const;
  if (cloud.metadata !== undefined) {
    const manager = createCloudExchange(cloudOf(sources), cloud.metadata.projectNumber);
    return { ...where, manager };
  }
  if (cloud.isLenient) return { ...where, manager: undefined };
  throw new UsageError(
    `--stsPort ${port}: CLOUD_METADATA (project id|project number|cluster name|cluster zone) says whom to ask for tokens, and is not set; with STS_LENIENT=true the port answers with errors instead`,
  );
}

/** Has the authority shown what PLUGINS makes of the workload's token; a UsageError when it can make nothing. */
export function withTokenExchange(
  authority: AuthorityOptions | undefined,
  sources: CloudSources,
): AuthorityOptions | undefined {
  const { cloud } = sources.agent;
  checkPlugins(cloud.plugins);
  if (authority === undefined || cloud.plugins.length === 0) return authority;
  if (authority.tokenPath === undefined) throw new UsageError('PLUGINS: JWT_POLICY names no token that is exchanged');
  return { ...authority, exchangeToken: createTokenExchange(cloudOf(sources)) };
}

function checkPlugins(names: readonly string[]): void {
  for (const name of names) {
    if (plugins.includes(name)) continue;
    throw new UsageError(`PLUGINS: unknown plug-in "${name}"${didYouMean(name, plugins) || `: ${plugins.join(', ')}`}`);
  }
  if (names.length > 1) throw new UsageError(`PLUGINS: one plug-in exchanges tokens, not ${names.join(' and ')}`);
}

function cloudOf({ agent, settings, outgoing }: CloudSources): Cloud {
  return {
    trustDomain: settings.trustDomain,
    clusterUrl: clusterUrlOf(agent.cloud),
    endpoints: cloudEndpoints,
    clock: systemClock,
    outgoing,
  };
}

function clusterUrlOf({ clusterUrl, metadata }: CloudSettings): string {
  if (clusterUrl !== undefined) return clusterUrl;
  if (metadata === undefined)
    throw new UsageError('PLUGINS: CLOUD_METADATA or CLOUD_CLUSTER_URL must name the cluster, and neither is set');
  const { projectId, clusterZone, clusterName } = metadata;
  return `https://container.googleapis.com/v1/projects/${projectId}/locations/${clusterZone}/clusters/${clusterName}`;
}

/** Whether nobody at these addresses expects IPv4. */
function isOnIPv6Alone(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every((it) => isIPv6(it));
}
