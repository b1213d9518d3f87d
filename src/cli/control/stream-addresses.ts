import type { Environment } from '../../config/environment.ts';
import { parseBoolean } from '../../config/variable.ts';
import type { ServiceSources } from '../../control/registry/open-registry.ts';
import {
  isOnThisMachine,
  type StreamAddress,
  streamAddressOf,
} from '../../control/registry/streamed/stream-address.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ServeFlags } from './flags.ts';
import { variable } from './variable-values.ts';

/** The configuration servers that `configSources` names; `UsageError` for what is none, or would be reached in plain text. */
export function streamAddressesOf(
  flags: Pick<ServeFlags, 'configSourceRoots' | 'configSourceCertificate' | 'configSourceKey'>,
  environment: Environment,
  configSources: readonly string[],
): readonly StreamAddress[] {
  const isIncremental = variable(environment, 'PILOT_ENABLE_INCREMENTAL_MCP', parseBoolean);
  const { configSourceRoots: roots, configSourceCertificate: certificate, configSourceKey: key } = flags;
  const named = configSources.filter((source) => source.startsWith('xds:'));
  if (named.length === 0) {
    const given = { PILOT_ENABLE_INCREMENTAL_MCP: isIncremental || undefined, '--configSourceRoots': roots };
    const others = { '--configSourceCertificate': certificate, '--configSourceKey': key };
    const unused = Object.entries({ ...given, ...others }).find(([, value]) => value !== undefined)?.[0];
    if (unused !== undefined) throw new UsageError(`${unused} has an effect with configSources xds://HOST:PORT alone`);
    return [];
  }
  if ((certificate === undefined) !== (key === undefined))
    throw new UsageError('--configSourceCertificate and --configSourceKey belong together: give both');
  if (certificate !== undefined && roots === undefined)
    throw new UsageError('--configSourceCertificate needs --configSourceRoots, which verify the server');
  const files = roots === undefined ? undefined : { roots, certificate, key };
  return named.map((text) => {
    const address = streamAddressOf(text);
    if (address === undefined) throw new UsageError(`configSources takes xds://HOST:PORT, not "${text}"`);
    if (files === undefined && !isOnThisMachine(address))
      throw new UsageError(
        `"${text}" would send policies in plain text: give --configSourceRoots, which verify its server`,
      );
    return { address, isIncremental, files };
  });
}

/** Sources of services, and configuration servers. */
export function withStreams(
  services: ServiceSources | undefined,
  streams: readonly StreamAddress[],
): ServiceSources | undefined {
  return streams.length === 0 ? services : { catalogs: [], ...services, streams };
}
