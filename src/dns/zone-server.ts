import { constants } from 'node:crypto';
import { createServer, type TLSSocket } from 'node:tls';
import { DnsError } from './dns-error.ts';
import type { ServerAddress } from './exchange.ts';
import { type ReceiveMessage, serveStreams, serveTcp, type TcpServer } from './tcp-server.ts';
import { serveUdp } from './udp-server.ts';
import type { StreamSender, ZoneResponder } from './zone-responder.ts';

/** A server that answers from a zone. */
export interface ZoneServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Certificates of DNS over TLS. */
export interface TlsParts {
  /** Tells of the server's pair and of the roots of clients (PEM), now or soon and whenever they change, until `signal` fires. */
  followPair(use: (pair: ServerPairWithRoots) => void, signal: AbortSignal): void;
  /** Who a client is whose certificate (DER) leads to a root; undefined: its connection is closed. */
  identify(certificate: Buffer): Pick<StreamSender, 'viewer' | 'serviceAccount'> | undefined;
}

export interface ServerPairWithRoots {
  readonly certificateChain: string;
  readonly privateKey: string;
  /** Those that certificates of clients must lead to. */
  readonly roots: string;
}

/** Agents keep a connection while they ask; each makes one. */
const tlsLimits = { mostConnections: 10_000, idleMs: 90_000 };
const handshakeMs = 10_000;
/** A client is identified anew after so long. */
const ageMs = 600_000;

/** Serves the zone over UDP and TCP, to callers without identity. Throws `DnsError` where a port cannot be had. */
export async function serveZone(responder: ZoneResponder, where: ServerAddress): Promise<ZoneServer> {
  try {
    const tcp = await serveTcp(where, (message, { remoteAddress: address = '' }) =>
      responder.ofMessage(message, { address, viewer: undefined, transport: 'tcp' }),
    );
    const { port } = tcp;
    try {
      const udp = await serveUdp({ ...where, port }, (message, { address }) => responder.ofDatagram(message, address));
      return {
        port,
        close: async () => {
          udp.close();
          await tcp.close();
        },
      };
    } catch (error) {
      await tcp.close();
      throw error;
    }
  } catch (cause) {
    throw new DnsError('dns-bind-failed', `cannot serve DNS on ${where.address} port ${where.port}`, { cause });
  }
}

/** Serves the zone over TLS; a client's certificate says which namespace's names it may know. Throws `DnsError`. */
export async function serveZoneOverTls(
  responder: ZoneResponder,
  where: ServerAddress,
  { followPair, identify }: TlsParts,
): Promise<ZoneServer> {
  const server = createServer({
    ...{ requestCert: true, rejectUnauthorized: false },
    ...{ handshakeTimeout: handshakeMs, allowHalfOpen: true, noDelay: true },
  });
  server.maxConnections = tlsLimits.mostConnections + 1_000;
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  const senders = new WeakMap<TLSSocket, StreamSender & { readonly notAfterMs: number }>();
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const sender = senderOf(socket, identify);
    if (sender === undefined) socket.destroy();
    else senders.set(socket, sender);
    const timer = setTimeout(() => socket.destroy(), ageMs);
    socket.once('close', () => clearTimeout(timer));
  });
  const end = new AbortController();
  await new Promise<void>((resolve) => {
    followPair(({ certificateChain, privateKey, roots }) => {
      server.setSecureContext({
        ...{ cert: certificateChain, key: privateKey, ca: roots, minVersion: 'TLSv1.2' },
        // A session that goes on would not show the client's certificate again.
        secureOptions: constants.SSL_OP_NO_TICKET,
      });
      resolve();
    }, end.signal);
  });
  let streams: TcpServer;
  try {
    const receive: ReceiveMessage<TLSSocket> = (message, socket) => {
      const sender = senders.get(socket);
      if (sender === undefined || Date.now() >= sender.notAfterMs) return undefined;
      return responder.ofMessage(message, sender);
    };
    streams = await serveStreams(server, 'secureConnection', where, receive, tlsLimits);
  } catch (cause) {
    end.abort();
    throw new DnsError('dns-bind-failed', `cannot serve DNS over TLS on ${where.address} port ${where.port}`, {
      cause,
    });
  }
  return {
    port: streams.port,
    close: async () => {
      end.abort();
      await streams.close();
    },
  };
}

/** A certificate that leads to no root is none that was forgotten: whoever shows it is not served as somebody else. */
function senderOf(socket: TLSSocket, identify: TlsParts['identify']) {
  const from = { address: socket.remoteAddress ?? '', transport: 'tls' as const };
  const { raw, valid_to: validTo } = socket.getPeerCertificate() as {
    readonly raw?: Buffer;
    readonly valid_to?: string;
  };
  if (raw === undefined) return { ...from, viewer: undefined, notAfterMs: Number.POSITIVE_INFINITY };
  const identity = socket.authorized ? identify(raw) : undefined;
  return identity && { ...from, ...identity, notAfterMs: Date.parse(validTo ?? '') };
}
