import { readMeshRoots } from '../dns/mesh-roots.ts';
import type { NameTable } from '../dns/name-table.ts';
import type { DnsObserver } from '../dns/observer.ts';
import { followResolvConf } from '../dns/resolv-conf.ts';
import { type DnsServer, serveDns } from '../dns/serve.ts';
import type { SecretSnapshot } from '../identity/snapshot.ts';
import { agentDnsPort } from '../lib/proxy-addresses.ts';
import type { Log } from './log/log.ts';

/** What DNS_AGENT and DNS_SERVER ask for. */
export interface DnsConfig {
  /** Suffixes of the names that the mesh's server alone is asked for, without dots around them. */
  readonly meshSuffixes: readonly string[];
  /** The mesh's server, asked over TLS. */
  readonly host: string;
  readonly port: number;
  /** File of the roots that its certificate must lead to, read anew for each connection. */
  readonly rootPath: string;
  /** The server was named by DNS_SERVER: it may know more than the control plane, and is asked. */
  readonly isServerNamed?: boolean;
}

interface AgentDnsParts {
  /** The workload's certificate, which the mesh's server is shown; undefined: there is none yet. */
  readonly identity: () => SecretSnapshot | undefined;
  /** Names that the control plane has sent, and whose they are; undefined: none. */
  readonly table: () => NameTable | undefined;
  readonly log: Log;
  readonly observer: DnsObserver | undefined;
}

/** Serves DNS to the workload on loopback; throws where that cannot be. */
export async function serveAgentDns(
  { meshSuffixes, host, port, rootPath, isServerNamed = false }: DnsConfig,
  { identity, table, log, observer }: AgentDnsParts,
): Promise<DnsServer> {
  // Whoever shows one that has expired is asked to leave; without one it hears the names of everybody.
  const readPair = async (): Promise<SecretSnapshot | undefined> => {
    const snapshot = identity();
    return snapshot !== undefined && snapshot.notAfterMs > Date.now() ? snapshot : undefined;
  };
  const server = await serveDns({
    addresses: ['127.0.0.1', '::1'],
    port: agentDnsPort,
    meshSuffixes,
    meshServer: { host, port, readRoots: () => readMeshRoots(rootPath), readPair },
    ...(!isServerNamed && { table }),
    servers: followResolvConf('/etc/resolv.conf'),
    log,
    observer,
  });
  log.info('DNS is served', { port: server.port, meshNames: meshSuffixes.join(' '), meshServer: `${host}:${port}` });
  return server;
}
