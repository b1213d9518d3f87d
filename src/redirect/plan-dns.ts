import { agentDnsPort } from '../lib/proxy-addresses.ts';
import type { Family, RedirectConfig } from './config.ts';
import { localAddresses, ownComment, type RedirectRule } from './rule.ts';

/**
 * Rules that lead DNS queries to a port on loopback, but for the proxy's own. Addresses are translated on both sides:
 * with REDIRECT alone a server on every address answers from one that the asker does not know.
 */
export function planDns({ dnsPort, proxyUids, proxyGids }: RedirectConfig, family: Family): RedirectRule[] {
  if (dnsPort === undefined) return [];
  const { loopback, bits } = localAddresses[family];
  const target = family === 'IPv6' ? `[${loopback}]:${dnsPort}` : `${loopback}:${dnsPort}`;
  const owners = [...proxyUids.map((id) => `--uid-owner ${id}`), ...proxyGids.map((id) => `--gid-owner ${id}`)];
  return [
    ...owners.map((owner) => dns('OUTPUT', `--dport 53 -m owner ${owner}`, 'RETURN', 'the proxy asks')),
    dns('OUTPUT', '--dport 53', `DNAT --to-destination ${target}`, 'queries'),
    dns(
      'POSTROUTING',
      `-d ${loopback}/${bits} --dport ${dnsPort}`,
      `SNAT --to-source ${loopback}`,
      'so that answers find back',
    ),
  ];
}

/**
 * Rules that lead queries over TCP to the agent too: what does not fit into a datagram is asked for again over TCP, and
 * names of the mesh must not go out in the clear then. They stand before all that decides about other connections.
 */
export function planDnsOverTcp({ dnsPort, proxyUids, proxyGids }: RedirectConfig): RedirectRule[] {
  // The agent's server takes TCP; a listener on another port takes datagrams alone.
  if (dnsPort !== agentDnsPort) return [];
  const owners = [...proxyUids.map((id) => `--uid-owner ${id}`), ...proxyGids.map((id) => `--gid-owner ${id}`)];
  return [
    ...owners.map((owner) => dnsOverTcp(`-m owner ${owner} -j RETURN`, 'the proxy asks')),
    dnsOverTcp(`-j REDIRECT --to-ports ${dnsPort}`, 'queries'),
  ];
}

function dnsOverTcp(args: string, purpose: string): RedirectRule {
  return { table: 'nat', chain: 'MESH_OUTPUT', at: 'end', args: `-p tcp --dport 53 ${args}`.split(' '), purpose };
}

function dns(chain: string, match: string, target: string, purpose: string): RedirectRule {
  const args = `-p udp ${match} -m comment --comment ${ownComment} -j ${target}`.split(' ');
  return { table: 'nat', chain, at: 'end', args, purpose };
}
