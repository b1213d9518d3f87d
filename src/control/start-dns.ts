import type { DnsError } from '../dns/dns-error.ts';
import { type StreamSender, ZoneResponder } from '../dns/zone-responder.ts';
import { serveZone, serveZoneOverTls, type TlsParts, type ZoneServer } from '../dns/zone-server.ts';
import type { ReadClock } from '../lib/clock.ts';
import { authenticateCertificate } from './auth/client-certificate.ts';
import type { DnsConfig } from './control-config.ts';
import { ControlError } from './control-error.ts';
import type { NameCaller } from './names/name-scopes.ts';
import type { ServedNames } from './names/served-names.ts';
import { type Address, addressOf } from './server/address.ts';
import type { CertificateSource } from './server/certificate-provider.ts';
import type { ControlMetrics } from './server/metrics.ts';
import type { Surroundings } from './start-listener.ts';

interface DnsParts extends Surroundings {
  /** Undefined: there are no names to serve. */
  readonly distribution: { readonly names: ServedNames | undefined } | undefined;
  /** Of gRPC, whose certificates are shown; undefined: there are none. */
  readonly listener: { readonly certificates: CertificateSource } | undefined;
  readonly trustDomain: string;
  readonly metrics: ControlMetrics;
}

/** Of one source: a node with many pods asks for all of them. */
const rate = { perSecond: 1_000, burst: 2_000 };

/** Serves the names of the mesh; gives the ports, undefined where nothing is served. */
export async function startDns(
  config: DnsConfig | undefined,
  { distribution, listener, trustDomain, metrics, log, clock, open }: DnsParts,
): Promise<{ readonly plain: number | undefined; readonly tls: number | undefined }> {
  const names = distribution?.names;
  if (config === undefined || names === undefined) return { plain: undefined, tls: undefined };
  const responder = new ZoneResponder({
    zone: (from) => names.zoneFor(from && callerOf(from)),
    observe: (transport, outcome) => metrics.countDnsQuery(transport, outcome),
    rate,
  });
  metrics.watchNames(() => names.zone?.size);
  const start = async (serve: () => Promise<ZoneServer>, way: 'plain' | 'tls'): Promise<number | undefined> => {
    const server = await serve().catch((error: DnsError) => {
      if (!config.isUsual[way]) throw new ControlError('listen-failed', error.message, { cause: error.cause });
      const cause = error.cause instanceof Error ? error.cause.message : '';
      log.warn(`${error.message}; ${remedies[way]}`, { cause });
      return undefined;
    });
    if (server !== undefined) open.push(server);
    return server?.port;
  };
  const { plain: address, tls: tlsAddress } = config;
  const plain = address && (await start(() => serveZone(responder, placeOf(address)), 'plain'));
  const secure = listener && tlsParts(listener.certificates, trustDomain, clock);
  const tls =
    tlsAddress && secure && (await start(() => serveZoneOverTls(responder, placeOf(tlsAddress), secure), 'tls'));
  if (plain !== undefined || tls !== undefined)
    log.info('serving DNS', { ...(plain && { port: plain }), ...(tls && { tlsPort: tls }) });
  return { plain, tls };
}

const remedies = {
  plain: 'the control plane runs without it. Set DNS_ADDR to another address, or to the empty string',
  tls: 'agents have to be told another server (DNS_SERVER). Give another address with --dnsTlsAddr',
};

/** Undefined: nobody knows who it is. */
function callerOf({ viewer: namespace, serviceAccount, address }: StreamSender): NameCaller | undefined {
  if (namespace === undefined || serviceAccount === undefined) return undefined;
  return { namespace, serviceAccount, address: addressOf(`[${address}]:0`) };
}

/** An empty host is every address, of IPv4 too. */
function placeOf({ host, port }: Address): { readonly address: string; readonly port: number } {
  return { address: host || '::', port };
}

function tlsParts(certificates: CertificateSource, trustDomain: string, clock: ReadClock): TlsParts {
  return {
    followPair: (use, signal) => certificates.follow(use, signal),
    identify: (raw) => {
      const { caller } = authenticateCertificate(raw, trustDomain, clock());
      return caller && { viewer: caller.namespace, serviceAccount: caller.serviceAccount };
    },
  };
}
