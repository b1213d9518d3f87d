import type { ReadClock } from '../lib/clock.ts';
import type { PlainLog } from '../lib/log.ts';
import type { CertificateAuthority } from './ca/authority.ts';
import type { ControlConfig } from './control-config.ts';
import type { Distribution } from './push/distribution.ts';
import { CertificateSource } from './server/certificate-provider.ts';
import type { ControlMetrics } from './server/metrics.ts';
import { keepOwnCertificate } from './server/own-certificate.ts';
import { followPair, writePair } from './server/pair-files.ts';
import { startSecureServer } from './server/secure-server.ts';
import type { StartedAuthority } from './start-authority.ts';

const graceMs = 5_000;

/** What each part of the control plane is given. */
export interface Surroundings {
  readonly log: PlainLog;
  readonly clock: ReadClock;
  /** Resources to close at the end. */
  readonly open: { close(): unknown }[];
}

interface ListenerParts extends Surroundings {
  readonly service: StartedAuthority | undefined;
  readonly distribution: Distribution | undefined;
  readonly metrics: ControlMetrics;
}

type SecureConfig = NonNullable<ControlConfig['secure']>;

/** Starts the TLS listener of proxies and of signing requests; its certificates are kept fresh. */
export async function startListener(
  config: SecureConfig,
  { service, distribution, metrics, log, clock, open }: ListenerParts,
): Promise<{ readonly port: number; readonly certificates: CertificateSource }> {
  const certificates = await startCertificates(config.certificate, service?.authority, { log, clock, open });
  const started = await startSecureServer({
    ...config,
    certificates,
    admit: service?.admit,
    addServices: distribution?.addTo,
    admitStreams: distribution?.admitStreams(config.maxMessageBytes),
    refused: (reason) => metrics.countRefusedConnection(reason),
  });
  metrics.watchOwn(() => certificates.notAfterMs);
  if (service !== undefined) onRootGone(service.authority, () => started.renewConnections());
  open.push({
    close: () => {
      distribution?.endStreams();
      return started.close(graceMs);
    },
  });
  const { port } = started;
  const [authority, configuration] = [service !== undefined, distribution !== undefined];
  log.info('serving gRPC over TLS', { port, authority, configuration });
  return { port, certificates };
}

/** Calls `then` when a root was removed: open connections were authenticated with roots that may no longer be trusted. */
function onRootGone(authority: CertificateAuthority, then: () => void): void {
  let before = authority.signer.rootFingerprints;
  authority.onChange(() => {
    const now = authority.signer.rootFingerprints;
    const isGone = [...before].some((fingerprint) => !now.has(fingerprint));
    before = now;
    if (isGone) then();
  });
}

/** Keeps the listener's certificate valid; client certificates are verified with the roots of the CA. */
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
