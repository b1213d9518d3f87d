import type { SettingsOptions } from '../config/read.ts';
import type { ReadClock } from '../lib/clock.ts';
import type { PlainLog } from '../lib/log.ts';
import type { CertificateAuthority } from './ca/authority.ts';
import type { ControlConfig } from './control-config.ts';
import { type Answering, debugActions, debugAnswers } from './debug/debug-answers.ts';
import { startDebugServer } from './debug/debug-server.ts';
import { followSettings } from './follow-settings.ts';
import { joinReplicas, type Replica } from './leader/join-replicas.ts';
import { publishRoots } from './leader/publish-roots.ts';
import { startDistribution } from './push/distribution.ts';
import { CertificateSource } from './server/certificate-provider.ts';
import { ControlMetrics } from './server/metrics.ts';
import { startMonitoring } from './server/monitoring.ts';
import { keepOwnCertificate } from './server/own-certificate.ts';
import { followPair, writePair } from './server/pair-files.ts';
import { type SecureServer, startSecureServer } from './server/secure-server.ts';
import { type StartedAuthority, startAuthority } from './start-authority.ts';
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
  /** Takes no new requests, lets those in progress end, then closes. */
  close(): Promise<void>;
}

const graceMs = 5_000;

/** Starts the control plane; resolves when it serves. `ControlError` names what is in its way. */
export async function serveControl(config: ControlConfig, parts: ControlParts): Promise<ControlPlane> {
  const { log, clock = Date.now, stop } = parts;
  const open: { close(): unknown }[] = [];
  const closeAll = async (): Promise<void> => {
    for (const part of open.splice(0).reverse()) await part.close();
  };
  try {
    const metrics = new ControlMetrics(config.version);
    let secure: SecureServer | undefined;
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
      config.distribution && startDistribution(config.distribution, { trustDomain, log, clock, metrics });
    if (distribution !== undefined) open.push(distribution);
    if (distribution !== undefined && config.debugSocket !== undefined) {
      const answering = { version: config.version, startedAt: clock(), notReady: () => notReady(), distribution };
      const election = () => replica?.leadership.state;
      open.push(await serveDebugAnswers(config.debugSocket, { ...answering, election }, log));
    }
    if (config.settings !== undefined)
      open.push(await followMesh(config.settings, { trustDomain, log, service, distribution }));
    if (config.secure !== undefined) {
      const certificates = await startCertificates(config.secure.certificate, service?.authority, { log, clock, open });
      const started = await startSecureServer({
        ...config.secure,
        certificates,
        admit: service?.admit,
        addServices: distribution?.addTo,
        refused: (reason) => metrics.countRefusedConnection(reason),
      });
      secure = started;
      metrics.watchOwn(() => certificates.notAfterMs);
      notReady = () => endedAt(clock(), service?.authority, certificates) ?? distribution?.notReady();
      if (service !== undefined) onRootGone(service.authority, () => started.renewConnections());
      open.push({
        close: () => {
          distribution?.endStreams();
          return started.close(graceMs);
        },
      });
      log.info('serving gRPC over TLS', {
        port: started.port,
        authority: service !== undefined,
        configuration: distribution !== undefined,
      });
    }
    if (replica !== undefined) open.push(...startLeading(config, { replica, service, distribution, log, metrics }));
    return { securePort: secure?.port, monitoringPort: monitoring.port, close: closeAll };
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

/** A connection remembers who its client was by a root that may not count any more. */
function onRootGone(authority: CertificateAuthority, then: () => void): void {
  let before = authority.signer.rootFingerprints;
  authority.onChange(() => {
    const now = authority.signer.rootFingerprints;
    const isGone = [...before].some((fingerprint) => !now.has(fingerprint));
    before = now;
    if (isGone) then();
  });
}

async function serveDebugAnswers(path: string, answering: Answering, log: PlainLog): Promise<{ close(): unknown }> {
  const actions = debugActions(answering.distribution);
  const server = await startDebugServer({ path, answers: debugAnswers(answering), actions });
  log.info('serving debug answers', { socket: path });
  return server;
}

interface Surroundings {
  readonly log: PlainLog;
  readonly clock: ReadClock;
  /** What is to be closed in the end. */
  readonly open: { close(): unknown }[];
}

type SecureConfig = NonNullable<ControlConfig['secure']>;

/** What the listener shows, kept fresh; client certificates are verified with the roots of the CA. */
async function startCertificates(
  config: SecureConfig['certificate'],
  authority: CertificateAuthority | undefined,
  { log, clock, open }: Surroundings,
): Promise<CertificateSource> {
  const source = new CertificateSource();
  if (authority !== undefined) {
    source.setRoots(authority.signer.roots);
    authority.onChange(() => source.setRoots(authority.signer.roots));
  }
  if (config.folder !== undefined) {
    open.push(await followPair(config.folder, async (pair) => source.setPair(pair), log));
    return source;
  }
  if (authority === undefined) throw new Error('a certificate that nobody signs');
  const { names, outputFolder } = config;
  const use = async (pair: Parameters<CertificateSource['setPair']>[0]): Promise<void> => {
    source.setPair(pair);
    if (outputFolder !== undefined) await writePair(outputFolder, pair, authority.signer.roots);
  };
  open.push(await keepOwnCertificate({ authority, names, clock, log, use }));
  return source;
}
