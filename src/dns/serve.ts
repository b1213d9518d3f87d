import type { Socket } from 'node:dgram';
import { setMaxListeners } from 'node:events';
import { isIPv6 } from 'node:net';
import { Answerer } from './answer.ts';
import { DnsError } from './dns-error.ts';
import { DnsLog, type Log } from './dns-log.ts';
import type { ServerAddress } from './exchange.ts';
import { Forwarder } from './forward.ts';
import { MeshNames } from './mesh-names.ts';
import { parseQuery, shorten } from './message.ts';
import type { NameTable } from './name-table.ts';
import type { DnsObserver } from './observer.ts';
import { OwnQueries } from './own-queries.ts';
import { serveTcp, type TcpServer } from './tcp-server.ts';
import type { TlsServer } from './tls-connection.ts';
import { TlsUpstream, type TlsUpstreamOptions } from './tls-upstream.ts';
import { longestDatagram, serveUdp } from './udp-server.ts';

/** What is answered by whom, and where. */
export interface DnsOptions {
  /** Addresses to listen on, over UDP and TCP; an IPv6 one is left out where the machine has no IPv6. */
  readonly addresses: readonly string[];
  /** 0 takes a free one, which is the same for all addresses and both transports. */
  readonly port: number;
  /** Suffixes of names that `meshServer` alone is asked for. */
  readonly meshSuffixes: readonly string[];
  readonly meshServer: TlsServer;
  /** Names that are answered from here, whoever can be asked; absent, or undefined: none are known. */
  readonly table?: () => NameTable | undefined;
  /** The servers that all other names are asked of. */
  readonly servers: () => Promise<readonly ServerAddress[]>;
  readonly log: Log;
  readonly observer?: DnsObserver | undefined;
  readonly timing?: DnsTiming;
}

/** Milliseconds; the usual ones when absent. */
export interface DnsTiming extends Pick<TlsUpstreamOptions, 'queryMs' | 'idleMs' | 'firstBackoffMs'> {
  readonly attemptMs?: number;
  readonly overallMs?: number;
}

export interface DnsServer {
  readonly port: number;
  /** `readPair` gives another certificate than before. */
  renewPair(): void;
  /** Ends what is going on, answered or not. */
  close(): Promise<void>;
}

const nobody: DnsObserver = {
  requested: () => undefined,
  failed: () => undefined,
  asked: () => undefined,
  missed: () => undefined,
  answered: () => undefined,
  pending: () => undefined,
};

const none = (): undefined => undefined;

/** Serves DNS to the workload. Throws `DnsError` when a port cannot be had: captured queries would meet nobody. */
export async function serveDns(options: DnsOptions): Promise<DnsServer> {
  const { addresses, servers, meshServer, meshSuffixes, observer = nobody, timing = {}, table = none } = options;
  const end = new AbortController();
  // Every query that is being answered listens.
  setMaxListeners(0, end.signal);
  const own = new OwnQueries();
  const mesh = new TlsUpstream({ server: meshServer, own, observer, ...timing });
  let port = options.port;
  const isOwn = (server: ServerAddress): boolean => server.port === port && addresses.includes(server.address);
  const others = new Forwarder({ servers, isOwn, own, observer, signal: end.signal, ...timing });
  const log = new DnsLog(options.log);
  const answerer = new Answerer({ names: new MeshNames(meshSuffixes), mesh, others, own, observer, log, table });
  const tcp: TcpServer[] = [];
  const udp: Socket[] = [];
  const close = async (): Promise<void> => {
    for (const socket of udp) socket.close();
    end.abort(new Error('the agent ends'));
    mesh.close();
    await Promise.all(tcp.map((server) => server.close()));
  };
  for (const address of addresses) {
    try {
      const server = await serveTcp({ address, port }, (message) => {
        const query = parseQuery(message);
        return query === undefined || Buffer.isBuffer(query) ? query : answerer.answer(query, 'tcp');
      });
      tcp.push(server);
      port = server.port;
      const receive = async (message: Buffer): Promise<Buffer | undefined> => {
        const query = parseQuery(message);
        if (query === undefined || Buffer.isBuffer(query)) return query;
        return shorten(await answerer.answer(query, 'udp'), Math.min(query.udpSize, longestDatagram));
      };
      udp.push(await serveUdp({ address, port }, receive));
    } catch (cause) {
      if (isIPv6(address) && lacksFamily(cause)) continue;
      await close();
      throw new DnsError('dns-bind-failed', `cannot serve DNS on ${address} port ${port}`, { cause });
    }
  }
  return { port, renewPair: () => mesh.renew(), close };
}

/** The system has no IPv6, or none on loopback. */
function lacksFamily(error: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');
}
