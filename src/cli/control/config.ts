import type { Environment } from '../../config/environment.ts';
import type { Settings } from '../../config/settings.ts';
import { parseBoolean } from '../../config/variable.ts';
import type { ControlConfig } from '../../control/control-config.ts';
import type { MeshSource } from '../../control/registry/open-registry.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { version } from '../../lib/version.ts';
import { authorityOf } from './authority.ts';
import { distributionOf } from './distribution.ts';
import { dnsOf } from './dns.ts';
import { defaultDebugSocket, type ServeFlags } from './flags.ts';
import { secureListenerOf } from './secure-listener.ts';
import { settingsOptionsOf } from './settings-options.ts';
import { namespaceOf, variable } from './variable-values.ts';
import { webhooksOf } from './webhooks.ts';

/** What flags, variables and the mesh configuration say, settled; `UsageError` for what makes no sense or would be ignored. */
export async function controlConfigOf(
  flags: ServeFlags,
  settings: Settings,
  environment: Environment,
): Promise<ControlConfig> {
  const hasAuthority = variable(environment, 'ENABLE_CA_SERVER', parseBoolean);
  const secure = secureListenerOf(flags, environment, hasAuthority);
  const distribution = await distributionOf(flags, settings, environment, hasAuthority && secure !== undefined);
  const dns = dnsOf(flags, environment, distribution !== undefined);
  const { trustDomain } = settings;
  const options = settingsOptionsOf(flags, environment);
  return {
    trustDomain,
    settings: options,
    authority: hasAuthority ? await authorityOf(flags, settings, environment) : undefined,
    secure,
    distribution: distribution && {
      ...distribution,
      compile: { ...distribution.compile, tellsNames: dns !== undefined },
    },
    dns,
    replica: replicaOf(distribution?.compile.source, environment),
    rootNamespaces: hasAuthority ? rootNamespacesOf(distribution?.compile.source, environment) : undefined,
    debugSocket: flags.debugSocket ?? defaultDebugSocket,
    debugAddress: debugAddressOf(flags),
    webhooks: webhooksOf(flags, environment, { secure, trustDomain, settings: options }),
    monitoring: flags.monitoringAddr,
    version,
  };
}

/** Who may ask is what a token of the issuer says, or the API server of the cluster. */
function debugAddressOf({ debugAddr, tokenIssuer, tokenKeys, kubernetes }: ServeFlags): ControlConfig['debugAddress'] {
  if (debugAddr !== undefined && tokenIssuer === undefined && tokenKeys === undefined && kubernetes === undefined)
    throw new UsageError('--debugAddr needs --tokenIssuer, --tokenKeys or --kubernetes, which show who asks');
  return debugAddr;
}

/** Replicas of one cluster elect a leader. */
function replicaOf(source: MeshSource | undefined, environment: Environment): ControlConfig['replica'] {
  return source?.type === 'cluster' ? { address: source.address, namespace: namespaceOf(environment) } : undefined;
}

/** Where the roots of the CA are published: wherever objects are followed, and in our own namespace. */
function rootNamespacesOf(source: MeshSource | undefined, environment: Environment): readonly string[] | undefined {
  if (source?.type !== 'cluster') return undefined;
  return source.namespaces.length === 0 ? [] : [...new Set([...source.namespaces, namespaceOf(environment)])];
}
