import { readMeshRoots } from '../dns/mesh-roots.ts';
import type { DnsObserver } from '../dns/observer.ts';
import { followResolvConf } from '../dns/resolv-conf.ts';
import { type DnsServer, serveDns } from '../dns/serve.ts';
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
}

/** Serves DNS to the workload on loopback; throws where that cannot be. */
export async function serveAgentDns(
  { meshSuffixes, host, port, rootPath }: DnsConfig,
  log: Log,
  observer: DnsObserver | undefined,
): Promise<DnsServer> {
  const server = await serveDns({
    addresses: ['127.0.0.1', '::1'],
    port: agentDnsPort,
    meshSuffixes,
    meshServer: { host, port, readRoots: () => readMeshRoots(rootPath) },
    servers: followResolvConf('/etc/resolv.conf'),
    log,
    observer,
  });
  log.info('DNS is served', { port: server.port, meshNames: meshSuffixes.join(' '), meshServer: `${host}:${port}` });
  return server;
}
