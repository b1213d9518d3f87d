import type { SettingsOptions } from '../config/read.ts';
import type { ReadClock } from '../lib/clock.ts';
import type { PlainLog } from '../lib/log.ts';
import { authenticateReader } from './auth/reader.ts';
import type { TokenKeys } from './auth/token.ts';
import type { CertificateAuthority } from './ca/authority.ts';
import type { ControlConfig } from './control-config.ts';
import { ControlError } from './control-error.ts';
import { type Answering, debugActions, debugAnswers } from './debug/debug-answers.ts';
import { type DebugAnswers, startDebugServer } from './debug/debug-server.ts';
import { startSecureDebugServer } from './debug/secure-debug-server.ts';
import { followSettings } from './follow-settings.ts';
import { joinReplicas, type Replica } from './leader/join-replicas.ts';
import { publishRoots } from './leader/publish-roots.ts';
import { startDistribution } from './push/distribution.ts';
import type { Address } from './server/address.ts';
import type { CertificateSource } from './server/certificate-provider.ts';
import { ControlMetrics } from './server/metrics.ts';
import { startMonitoring } from './server/monitoring.ts';
import { type StartedAuthority, startAuthority } from './start-authority.ts';
import { type Surroundings, startListener } from './start-listener.ts';
import { writeStatus } from './status/write-status.ts';

export interface ControlParts {
  readonly log: PlainLog;
  readonly clock?: ReadClock;
  /** Ends a start that waits for a cluster. */
  readonly stop?: AbortSignal;
}

/** A control plane that runs. */
export interface ControlPlane {
  /** Of the TLS listener; undefined when there is none. */
  readonly securePort: number | undefined;
  readonly monitoringPort: number;
  /** Of the debug answers by token; undefined when there are none. */
  readonly debugPort: number | undefined;
  /** Takes no new requests, lets those in progress end, then closes. */
  close(): Promise<void>;
}

/** Starts the control plane; resolves when it serves. `ControlError` names what is in its way. */
export async function serveControl(config: ControlConfig, parts: ControlParts): Promise<ControlPlane> {
  const { log, clock = Date.now, stop } = parts;
  const open: { close(): unknown }[] = [];
  const closeAll = async (): Promise<void> => {
    for (const part of open.splice(0).reverse()) await part.close();
  };
  try {
    const metrics = new ControlMetrics(config.version);
    let answers: DebugAnswers = {};
    let notReady = (): string | undefined =>
      config.secure === undefined ? undefined : 'the TLS listener is not there yet';
    const monitoring = await startMonitoring(config.monitoring, {
      metrics: () => metrics.text(),
      notReady: () => notReady(),
    });
    open.push(monitoring);
    const replica = config.replica && (await joinReplicas(config.replica, log));
    if (replica !== undefined) open.push(replica.api);
    const { authority, trustDomain } = config;
    const service =
      authority &&
      (await startAuthority(authority, { trustDomain, log, clock, metrics, open, cluster: replica, stop }));
    const distribution =
      config.distribution && startDistribution(config.distribution, { trustDomain, log, clock, metrics, replica });
    if (distribution !== undefined) open.push(distribution);
    if (distribution !== undefined && config.debugSocket !== undefined) {
      const answering = { version: config.version, startedAt: clock(), notReady: () => notReady(), distribution };
      const election = () => replica?.leadership.state;
      answers = debugAnswers({ ...answering, election });
      open.push(await serveDebugAnswers(config.debugSocket, answers, distribution, log));
    }
    if (config.settings !== undefined)
      open.push(await followMesh(config.settings, { trustDomain, log, service, distribution }));
    const listener =
      config.secure && (await startListener(config.secure, { service, distribution, metrics, log, clock, open }));
    if (listener !== undefined)
      notReady = () => endedAt(clock(), service?.authority, listener.certificates) ?? distribution?.notReady();
    const debugPort =
      config.debugAddress &&
      (await serveReaders(config.debugAddress, answers, { ...listener, keys: service?.keys }, { log, clock, open }));
    if (replica !== undefined) open.push(...startLeading(config, { replica, service, distribution, log, metrics }));
    return { securePort: listener?.port, monitoringPort: monitoring.port, debugPort, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

interface LeadingParts extends Pick<FollowingParts, 'log' | 'service' | 'distribution'> {
  readonly replica: Replica;
  readonly metrics: ControlMetrics;
}

/** Stands for election, for what one replica alone does. What is to be closed is closed first: another replica goes on meanwhile. */
function startLeading(config: ControlConfig, parts: LeadingParts): readonly { close(): unknown }[] {
  const { replica, service, distribution, log, metrics } = parts;
  const { rootNamespaces: namespaces } = config;
  metrics.watchLeader(() => replica.leadership.state.leads);
  if (service !== undefined && namespaces !== undefined) {
    const publisher = publishRoots(replica, { authority: service.authority, namespaces, log });
    metrics.watchRoots(() => publisher.pending);
  }
  const writing = distribution && writeStatus(config.distribution, { replica, distribution, log, metrics });
  replica.leadership.start();
  return [replica.leadership, ...(writing === undefined ? [] : [writing])];
}

interface FollowingParts {
  readonly trustDomain: string;
  readonly log: PlainLog;
  readonly service: StartedAuthority | undefined;
  readonly distribution: ReturnType<typeof startDistribution> | undefined;
}

/** Follows the mesh configuration for those who take a change of it. */
function followMesh(settings: SettingsOptions, parts: FollowingParts): ReturnType<typeof followSettings> {
  const { trustDomain, log, service, distribution } = parts;
  return followSettings(settings, trustDomain, {
    use: ({ jwksAllowedHosts }) => {
      service?.trust({ allowedHosts: jwksAllowedHosts });
      distribution?.allowKeyHosts(jwksAllowedHosts);
    },
    // The thread that compiles tells the same.
    refused: (text) => distribution === undefined && log.error(`the mesh configuration stays as it was\n${text}`),
  });
}

/** Why nobody could get a certificate now; keys of tokens are not looked at: who has a certificate renews without them. */
function endedAt(
  nowMs: number,
  authority: CertificateAuthority | undefined,
  { notAfterMs = Number.POSITIVE_INFINITY }: CertificateSource,
): string | undefined {
  if (authority !== undefined && nowMs >= authority.signer.notAfterMs) return 'the authority has expired';
  return nowMs >= notAfterMs ? 'the server certificate has expired' : undefined;
}

async function serveDebugAnswers(
  path: string,
  answers: DebugAnswers,
  distribution: Answering['distribution'],
  log: PlainLog,
): Promise<{ close(): unknown }> {
  const server = await startDebugServer({ path, answers, actions: debugActions(distribution) });
  log.info('serving debug answers', { socket: path });
  return server;
}

interface ReaderParts {
  readonly keys: TokenKeys | undefined;
  readonly certificates?: CertificateSource;
}

/** Debug answers for who shows a token; gives the port. */
async function serveReaders(
  address: Address,
  answers: DebugAnswers,
  { keys, certificates }: ReaderParts,
  { log, clock, open }: Surroundings,
): Promise<number> {
  if (keys === undefined || certificates === undefined)
    throw new ControlError('listen-failed', 'debug answers by token need tokens and the TLS listener');
  const authenticate = (authorization: readonly string[]) => authenticateReader(authorization, keys, clock);
  const server = await startSecureDebugServer({ address, certificates, authenticate, answers, log });
  open.push(server);
  log.info('serving debug answers by token', { port: server.port });
  return server.port;
}
