import { join } from 'node:path';
import { openIdentityFiles } from '../../identity/files.ts';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { secretService } from '../../xds/secret-service.ts';
import { startDiscoveryServer } from '../../xds/server.ts';
import { bothObservers, type DiscoveryObserver } from '../../xds/session.ts';
import { AgentError } from '../agent-error.ts';
import type { Log } from '../log/log.ts';
import { type GatewaySecretTexts, gatewaySecretResources } from './gateway-secrets.ts';
import { secretResources } from './secret-resources.ts';

/** Envoy's source of secrets, serving. */
export interface IdentityService {
  /** Takes the place of the secrets of gateway servers that were served before. */
  serveGatewaySecrets(secrets: ReadonlyMap<string, GatewaySecretTexts>): void;
  close(): Promise<void>;
}

/** Name of the socket in the configuration folder; the bootstrap's cluster `sds-grpc` leads to it. */
const socketName = 'SDS';

/**
 * Serves the identity of `identityFolder` to Envoy over SDS, and each new one. Without an identity, or while its files
 * are bad from the start, Envoy's streams stay open and are answered when there is one.
 */
export async function startIdentityService(
  configPath: string,
  identityFolder: string | undefined,
  log: Log,
  counts: DiscoveryObserver = {},
): Promise<IdentityService> {
  const service = secretService();
  const observer = bothObservers(told(log), counts);
  const server = await startDiscoveryServer(join(configPath, socketName), [service], observer).catch((cause) => {
    throw new AgentError('sds-bind-failed', 'cannot serve secrets to Envoy', { cause });
  });
  let own: readonly DiscoveryResource[] = [];
  let others: readonly DiscoveryResource[] = [];
  const serveGatewaySecrets: IdentityService['serveGatewaySecrets'] = (secrets) => {
    others = gatewaySecretResources(secrets, log);
    service.store.replace([...own, ...others]);
  };
  if (identityFolder === undefined) return { serveGatewaySecrets, close: () => server.close() };
  const watch = await openIdentityFiles(identityFolder, {
    onSnapshot: (snapshot) => {
      own = secretResources(snapshot);
      service.store.replace([...own, ...others]);
      log.info('identity in service', describe(snapshot));
    },
    onProblem: (problem) => log.error(`the identity is not taken: ${problem}`),
  });
  return {
    serveGatewaySecrets,
    close: async () => {
      watch.close();
      await server.close();
    },
  };
}

function told(log: Log): DiscoveryObserver {
  return {
    pushed: ({ version }) => log.debug('secrets sent', { version }),
    refused: ({ names, version, message }) => log.error(`Envoy refused secrets: ${message}`, { names, version }),
    waiting: (name) => log.warn('Envoy waits for a secret that is not there yet', { name }),
    failed: (error) => log.warn(error.message),
  };
}

/** What may be said of an identity in a log. */
function describe({ spiffeId, serialNumber, notAfterMs }: SecretSnapshot) {
  return { spiffeId, serialNumber, expires: new Date(notAfterMs).toISOString() };
}
