import type { ReadClock } from '../lib/clock.ts';
import type { PlainLog } from '../lib/log.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { followIssuerRoots } from './auth/issuer-roots.ts';
import type { TokenRules } from './auth/token.ts';
import { openTokenIssuer, type TokenIssuer } from './auth/token-issuer.ts';
import { openKeyFile } from './auth/token-keys.ts';
import type { CertificateAuthority } from './ca/authority.ts';
import { type AdmitRequest, createCertificateService } from './ca/certificate-service.ts';
import { openAuthority } from './ca/open-authority.ts';
import { CallerLimits } from './ca/rate-limit.ts';
import type { AuthorityConfig, ControlConfig, TokenConfig } from './control-config.ts';
import { type Answering, debugActions, debugAnswers } from './debug/debug-answers.ts';
import { startDebugServer } from './debug/debug-server.ts';
import { followSettings, type SettingsFollower } from './follow-settings.ts';
import { joinReplicas } from './leader/join-replicas.ts';
import { startDistribution } from './push/distribution.ts';
import { CertificateSource } from './server/certificate-provider.ts';
import { ControlMetrics } from './server/metrics.ts';
import { startMonitoring } from './server/monitoring.ts';
import { keepOwnCertificate } from './server/own-certificate.ts';
import { followPair, writePair } from './server/pair-files.ts';
import { type SecureServer, startSecureServer } from './server/secure-server.ts';
import { writeStatus } from './status/write-status.ts';

export interface ControlParts {
  readonly log: PlainLog;
  readonly clock?: ReadClock;
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
  const { log, clock = Date.now } = parts;
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
    const service =
      config.authority && (await startAuthority(config.authority, config.trustDomain, { log, clock, metrics, open }));
    const distribution =
      config.distribution &&
      startDistribution(config.distribution, { trustDomain: config.trustDomain, log, clock, metrics });
    if (distribution !== undefined) open.push(distribution);
    const replica = config.replica && (await joinReplicas(config.replica, log));
    if (replica !== undefined) metrics.watchLeader(() => replica.leadership.state.leads);
    if (distribution !== undefined && config.debugSocket !== undefined) {
      const answering = { version: config.version, startedAt: clock(), notReady: () => notReady(), distribution };
      const election = () => replica?.leadership.state;
      open.push(await serveDebugAnswers(config.debugSocket, { ...answering, election }, log));
    }
    if (config.settings !== undefined) {
      const follower: SettingsFollower = {
        use: ({ jwksAllowedHosts }) => {
          service?.trust({ allowedHosts: jwksAllowedHosts });
          distribution?.allowKeyHosts(jwksAllowedHosts);
        },
        // The thread that compiles tells the same.
        refused: (text) => distribution === undefined && log.error(`the mesh configuration stays as it was\n${text}`),
      };
      open.push(await followSettings(config.settings, config.trustDomain, follower));
    }
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
    if (replica !== undefined) {
      // It is closed first: another replica goes on while this one ends its streams.
      open.push(replica);
      if (distribution !== undefined)
        open.push(writeStatus(config.distribution, { replica, distribution, log, metrics }));
      replica.leadership.start();
    }
    return { securePort: secure?.port, monitoringPort: monitoring.port, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
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

async function startAuthority(
  config: AuthorityConfig,
  trustDomain: string,
  { log, clock, open, metrics }: Surroundings & { readonly metrics: ControlMetrics },
): Promise<{
  readonly authority: CertificateAuthority;
  readonly admit: AdmitRequest;
  readonly trust: TokenIssuer['trust'];
}> {
  const opened = await openAuthority({
    ...config,
    trustDomain,
    clock,
    log,
    refused: () => metrics.countRefusedAuthority(),
  });
  open.push(opened);
  const { authority } = opened;
  metrics.watch(() => authority.signer);
  const tokens = config.tokens && (await openTokens(config.tokens, { log, clock, open }));
  if (tokens === undefined)
    log.warn('tokens are not accepted, only client certificates: no issuer of tokens is configured');
  const authenticate = createAuthenticate({ trustDomain, tokens, clusterIds: config.clusterIds, clock });
  const limits = new CallerLimits(config.limit, () => performance.now());
  return {
    authority,
    admit: createCertificateService({ authority, authenticate, limits, trustDomain, metrics, log }),
    trust: (change) => tokens?.trust(change),
  };
}

/** Rules for tokens, and whom their keys may come from. */
type OpenTokens = TokenRules & Pick<TokenIssuer, 'trust'>;

async function openTokens(config: TokenConfig, surroundings: Surroundings): Promise<OpenTokens> {
  const { log, clock, open } = surroundings;
  const { issuer, keyFile, audiences, isFirstParty } = config;
  const rules = { audiences, isFirstParty, clock };
  if (issuer === undefined) log.warn('the issuer of tokens is not looked at: whoever has a key of the file is one');
  if (keyFile !== undefined) {
    const source = await openKeyFile(keyFile, issuer, log);
    open.push(source);
    return { ...rules, source, trust: () => undefined };
  }
  if (isPlain(issuer)) log.warn('keys of tokens come over http: whoever is on the way can replace them');
  const source = await openIssuer(issuer ?? '', config, surroundings);
  return { ...rules, source, trust: source.trust };
}

async function openIssuer(issuer: string, config: TokenConfig, { log, open }: Surroundings): Promise<TokenIssuer> {
  const { allowedHosts, issuerRoots: roots, issuerRootsFile } = config;
  const source = openTokenIssuer({ issuer, allowedHosts, roots, log });
  open.push(source);
  if (issuerRootsFile !== undefined)
    open.push(await followIssuerRoots(issuerRootsFile, (changed) => source.trust({ roots: changed }), log));
  return source;
}

function isPlain(issuer = ''): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'http:' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
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
