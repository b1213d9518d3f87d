import { join } from 'node:path';
import type { GatewaySecretTexts } from '../../contracts/gateway-secret-texts.ts';
import type { AuthorityOptions } from '../../identity/authority.ts';
import type { SecretSnapshot } from '../../identity/snapshot.ts';
import { openIdentitySource } from '../../identity/source.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OutgoingObserver } from '../../lib/outgoing-observer.ts';
import { GatewaySecrets } from '../../secrets/gateway-secrets.ts';
import { bothObservers, type DiscoveryObserver } from '../../xds/observer.ts';
import type { DiscoveryResource } from '../../xds/resource.ts';
import { secretService } from '../../xds/secret-service.ts';
import { startDiscoveryServer } from '../../xds/server.ts';
import { AgentError } from '../agent-error.ts';
import type { Log } from '../log/log.ts';
import type { CertificateObserver } from './certificate-observer.ts';
import { FileSecrets } from './file-secrets.ts';
import { IdentityExpiry } from './identity-expiry.ts';
import { type IdentityOutput, isSameFolder, openIdentityOutput } from './output.ts';
import { OwnSecrets, tellExpiry } from './own-secrets.ts';

/** Envoy's source of secrets, serving. */
export interface IdentityService {
  /** Takes the place of the secrets of gateway servers that were served before. */
  serveGatewaySecrets(secrets: ReadonlyMap<string, GatewaySecretTexts>): void;
  /** Why there is no good identity now, its end included; undefined when there is one, or when none is meant to be. */
  readonly problem: string | undefined;
  close(): Promise<void>;
}

export interface IdentityServiceOptions {
  /** Folder of the socket. */
  readonly configPath: string;
  /** Folder of `cert-chain.pem`, `key.pem` and `root-cert.pem`. */
  readonly identityFolder: string | undefined;
  /** Of the workload; a certificate that names another one is warned of. */
  readonly namespace?: string;
  /** Signs the identity; the folder's pair then only shows who asks. */
  readonly authority?: AuthorityOptions | undefined;
  /** OUTPUT_CERTS */
  readonly outputFolder?: string | undefined;
  /** A client that leaves an answer without a word for this long loses its stream; absent: it keeps it. */
  readonly staleCheckMs?: number | undefined;
  readonly log: Log;
  readonly discovery?: DiscoveryObserver | undefined;
  readonly outgoing?: OutgoingObserver | undefined;
  readonly certificates?: CertificateObserver | undefined;
  readonly clock?: Clock;
  /** Hears of each identity that comes into service. */
  readonly onSnapshot?: (snapshot: SecretSnapshot) => void;
}

/** Name of the socket in the configuration folder; the bootstrap's cluster `sds-grpc` leads to it. */
const socketName = 'SDS';

/**
 * Serves the workload's identity to Envoy over SDS, and each new one. The authority is not waited for: while there is no
 * identity, or files are bad from the start, Envoy's streams stay open and are answered when there is one.
 */
export async function startIdentityService(options: IdentityServiceOptions): Promise<IdentityService> {
  const { configPath, log, discovery = {} } = options;
  const output = await openOutput(options);
  const service = secretService();
  let gateways: readonly DiscoveryResource[] = [];
  const publish = (): void => service.store.replace([...own.resources, ...gateways, ...files.resources]);
  const own = new OwnSecrets(publish);
  const files = new FileSecrets(publish, log.scope('secretfetcher'));
  const observer = bothObservers(told(log, files), discovery);
  const { staleCheckMs } = options;
  const path = join(configPath, socketName);
  const server = await startDiscoveryServer(path, [service], observer, { staleCheckMs }).catch((cause) => {
    throw new AgentError('sds-bind-failed', 'cannot serve secrets to Envoy', { cause });
  });
  if (server.isShared)
    log.warn('whoever mounts the configuration folder may change what Envoy runs; keys are for this user alone', {
      folder: configPath,
    });
  const expiry = new IdentityExpiry({
    log: log.scope('cache'),
    observer: options.certificates,
    clock: options.clock,
  });
  const source = await openIdentitySource({
    authority: options.authority,
    folder: options.identityFolder,
    log: log.scope(options.authority === undefined ? 'cache' : 'caclient'),
    ...(options.outgoing === undefined ? {} : { outgoing: options.outgoing }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    onSnapshot: (snapshot) => {
      own.take(snapshot);
      output?.write(snapshot);
      tellExpiry(snapshot, options.certificates);
      expiry.take(snapshot);
      log.scope('cache').info('identity in service', describe(snapshot));
      warnOfForeign(snapshot, options);
      options.onSnapshot?.(snapshot);
    },
  });
  const gatewaySecrets = new GatewaySecrets(log.scope('secretfetcher'));
  return {
    serveGatewaySecrets: (secrets) => {
      gateways = gatewaySecrets.take(secrets);
      publish();
    },
    get problem() {
      return source.problem ?? expiry.problem;
    },
    close: async () => {
      await source.close();
      expiry.close();
      await output?.close();
      files.close();
      await server.close();
    },
  };
}

/** Undefined when nothing is to be written, or when it would be written over what it was read from. */
async function openOutput(options: IdentityServiceOptions): Promise<IdentityOutput | undefined> {
  const { outputFolder, identityFolder, authority, log } = options;
  if (outputFolder === undefined) return undefined;
  const isSource = authority === undefined && identityFolder !== undefined;
  if (isSource && (await isSameFolder(outputFolder, identityFolder))) return undefined;
  return openIdentityOutput(outputFolder, log.scope('cache'));
}

function told(log: Log, files: FileSecrets): DiscoveryObserver {
  return {
    pushed: ({ version }) => log.debug('secrets sent', { version }),
    refused: ({ names, version, message }) => log.error(`Envoy refused secrets: ${message}`, { names, version }),
    waiting: (name) => {
      if (!files.ask(name)) log.warn('Envoy waits for a secret that is not there yet', { name });
    },
    failed: (error) => log.warn(error.message),
  };
}

/** Identities in another form than `spiffe://<trust domain>/ns/<namespace>/…` are of no namespace. */
function warnOfForeign({ spiffeId }: SecretSnapshot, { namespace, log }: IdentityServiceOptions): void {
  const [, named] = /^spiffe:\/\/[^/]+\/ns\/([^/]+)\//.exec(spiffeId) ?? [];
  if (namespace === undefined || named === namespace) return;
  const message = 'the certificate is of another namespace than the workload: callers that check names refuse it';
  log.scope('cache').warn(message, { spiffeId, namespace });
}

/** What may be said of an identity in a log. */
function describe({ spiffeId, serialNumber, notAfterMs }: SecretSnapshot) {
  return { spiffeId, serialNumber, expires: new Date(notAfterMs).toISOString() };
}
