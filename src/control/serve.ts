import type { SettingsOptions } from '../config/read.ts';
import type { ReadClock } from '../lib/clock.ts';
import type { PlainLog } from '../lib/log.ts';
import { startWebhooks, type WebhookConfig } from './admission/start-webhooks.ts';
import type { AdmissionObserver } from './admission/webhook-server.ts';
import { createAccountReader } from './auth/account-reader.ts';
import { createAuthenticateReader } from './auth/authenticate-reader.ts';
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
import { type Distribution, startDistribution } from './push/distribution.ts';
import { proveRegistrationSocket } from './registry/registered/serve-registrations.ts';
import type { Address } from './server/address.ts';
import type { CertificateSource } from './server/certificate-provider.ts';
import { ControlMetrics } from './server/metrics.ts';
import { startMonitoring } from './server/monitoring.ts';
import { type StartedAuthority, startAuthority } from './start-authority.ts';
import { startDns } from './start-dns.ts';
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
  /** Of the webhooks; undefined when there are none. */
  readonly webhookPort: number | undefined;
  /** Of DNS over UDP and TCP, and of DNS over TLS; undefined where it is not served. */
  readonly dnsPorts: { readonly plain: number | undefined; readonly tls: number | undefined };
  /** Refuses new requests, completes those in progress, then closes. */
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
    log.info('serving metrics and health', { port: monitoring.port });
    const replica = config.replica && (await joinReplicas(config.replica, log));
    if (replica !== undefined) open.push(replica.api);
    const { authority, trustDomain } = config;
    const service =
      authority &&
      (await startAuthority(authority, { trustDomain, log, clock, metrics, open, cluster: replica, stop }));
    const distribution =
      config.distribution && (await distribute(config.distribution, { trustDomain, log, clock, metrics, replica }));
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
    const dnsPorts = await startDns(config.dns, { distribution, listener, trustDomain, metrics, log, clock, open });
    const debugPort =
      config.debugAddress &&
      (await serveReaders(
        config.debugAddress,
        answers,
        { ...listener, keys: service?.keys, api: replica?.api },
        { log, clock, open },
      ));
    const webhookPort =
      config.webhooks &&
      (await serveWebhooks(config.webhooks, {
        ...listener,
        signer: config.secure?.certificate.names && service?.authority,
        replica,
        metrics,
        log,
        open,
      }));
    if (replica !== undefined) open.push(...startLeading(config, { replica, service, distribution, log, metrics }));
    return {
      securePort: listener?.port,
      monitoringPort: monitoring.port,
      debugPort,
      webhookPort,
      dnsPorts,
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function distribute(...[config, parts]: Parameters<typeof startDistribution>): Promise<Distribution> {
  const { registrationSocket } = config.compile.source.services ?? {};
  // The thread that compiles serves it, and would be started again and again.
  if (registrationSocket !== undefined) await proveRegistrationSocket(registrationSocket);
  return startDistribution(config, parts);
}

interface LeadingParts extends Pick<FollowingParts, 'log' | 'service' | 'distribution'> {
  readonly replica: Replica;
  readonly metrics: ControlMetrics;
}

/**
 * Takes part in the election of the replica that does the leader's tasks. On a stop it is closed first, so that another
 * replica takes over meanwhile.
 */
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

/** Passes changes of the mesh configuration to the parts that apply them. */
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

/**
 * Why no certificate can be signed or served. Missing keys of tokens are no reason, because a workload with a certificate
 * renews it without a token.
 */
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
  /** The cluster's, which knows service accounts; undefined: there is none. */
  readonly api: Replica['api'] | undefined;
  readonly certificates?: CertificateSource;
}

/** Starts the debug listener for readers with tokens; gives its port. */
async function serveReaders(
  address: Address,
  answers: DebugAnswers,
  { keys, api, certificates }: ReaderParts,
  { log, clock, open }: Surroundings,
): Promise<number> {
  if ((keys === undefined && api === undefined) || certificates === undefined)
    throw new ControlError('listen-failed', 'debug answers by token need tokens and the TLS listener');
  const accounts = api && createAccountReader({ api, clock });
  const authenticate = createAuthenticateReader({ keys, accounts, clock });
  const server = await startSecureDebugServer({ address, certificates, authenticate, answers, log });
  open.push(server);
  log.info('serving debug answers by token', { port: server.port });
  return server.port;
}

interface ServedWebhookParts extends Pick<Surroundings, 'log' | 'open'> {
  readonly certificates?: CertificateSource;
  readonly signer: CertificateAuthority | undefined;
  readonly replica: Replica | undefined;
  readonly metrics: ControlMetrics;
}

/** Starts the webhooks that API servers call before they store objects; gives their port. */
async function serveWebhooks(
  config: WebhookConfig,
  { certificates, signer, replica, metrics, log, open }: ServedWebhookParts,
): Promise<number> {
  if (certificates === undefined || replica === undefined)
    throw new ControlError('listen-failed', 'webhooks need a cluster and the TLS listener');
  const observe: AdmissionObserver = (webhook, event) => metrics.countAdmission(webhook, event?.outcome ?? 'failed');
  const webhooks = await startWebhooks(config, { certificates, signer, replica, observe, log });
  open.push(webhooks);
  return webhooks.port;
}
