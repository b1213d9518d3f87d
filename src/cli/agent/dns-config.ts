import type { DnsConfig } from '../../agent/dns.ts';
import type { Log } from '../../agent/log/log.ts';
import { splitHostAndPort } from '../../config/address.ts';
import type { AgentSettings } from '../../config/agent-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { meshSuffixes } from '../../dns/mesh-names.ts';
import { rootOf } from './authority.ts';

/** RFC 7858 3.1 */
const dnsOverTlsPort = 853;

/**
 * What the agent serves as DNS; undefined unless DNS_AGENT is set. Names of the mesh are asked of DNS_SERVER, else of
 * the control plane; `proxyDomain` is the proxy's own DNS domain where a flag says it.
 */
export function dnsConfigOf(
  {
    dnsAgent,
    dnsServer,
    authority,
    certificates,
  }: Pick<AgentSettings, 'dnsAgent' | 'dnsServer' | 'authority' | 'certificates'>,
  { clusterDomain, proxy }: Pick<Settings, 'clusterDomain' | 'proxy'>,
  proxyDomain: string | undefined,
  log: Pick<Log, 'warn'>,
): DnsConfig | undefined {
  if (dnsAgent === '') {
    if (dnsServer !== undefined) log.warn('DNS_SERVER has no effect unless DNS_AGENT is set');
    return undefined;
  }
  const controlPlane = { ...splitHostAndPort(proxy.discoveryAddress), port: dnsOverTlsPort };
  return {
    meshSuffixes: meshSuffixes(clusterDomain, proxyDomain),
    ...(dnsServer === undefined ? controlPlane : { ...splitHostAndPort(dnsServer), isServerNamed: true }),
    rootPath: rootOf(authority, certificates.provisionedFolder).rootPath,
  };
}
