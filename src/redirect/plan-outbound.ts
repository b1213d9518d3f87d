import { hostOnlyAddresses } from '../lib/host-only-addresses.ts';
import type { Family, RedirectConfig } from './config.ts';
import { planDnsOverTcp } from './plan-dns.ts';
import { capturesLoopback, formatPorts, ownCalls } from './plan-inbound.ts';
import { localAddresses, ownComment, type RedirectRule } from './rule.ts';

/** Rules that lead the host's own connections, and those of guests behind virtual interfaces, to the proxy. */
export function planOutbound(config: RedirectConfig, family: Family): RedirectRule[] {
  const { loopback, delivery, bits } = localAddresses[family];
  const cidrs = config.outboundCidrs === 'all' ? [] : config.outboundCidrs.filter((cidr) => cidr.family === family);
  const excluded = config.excludedOutboundCidrs.filter((cidr) => cidr.family === family);
  return [
    nat('OUTPUT', '-p tcp -j MESH_OUTPUT', 'connections of this host'),
    ...config.excludedOutboundPorts.map((port) =>
      nat('MESH_OUTPUT', `-p tcp --dport ${formatPorts(port)} -j RETURN`, 'excluded port'),
    ),
    ...planDnsOverTcp(config),
    nat('MESH_OUTPUT', `-o lo -s ${delivery}/${bits} -j RETURN`, 'from the proxy to the application'),
    ...planOwners(config, family),
    nat('MESH_OUTPUT', `-d ${loopback}/${bits} -j RETURN`, 'local connections'),
    ...excluded.map(({ text }) => nat('MESH_OUTPUT', `-d ${text} -j RETURN`, 'excluded addresses')),
    ...config.virtualInterfaces.map((name) =>
      first(`-i ${name} -m comment --comment ${ownComment} -j RETURN`, 'the rest of a guest: not inbound'),
    ),
    ...(capturesOutbound(config) ? ownServices() : []),
    ...config.outboundPorts.map((port) =>
      nat('MESH_OUTPUT', `-p tcp --dport ${formatPorts(port)} -j MESH_REDIRECT`, 'captured port'),
    ),
    ...(config.outboundCidrs === 'all' ? captureAll(config) : captureSome(config, cidrs)),
    ...guestExceptions(config, family),
  ];
}

/**
 * What the owner of a connection decides: the proxy's calls to its own host count as inbound ones, other local
 * connections and the rest of the proxy's are left alone.
 */
function planOwners(config: RedirectConfig, family: Family): RedirectRule[] {
  const owners = [
    ...config.proxyUids.map((id) => `--uid-owner ${id}`),
    ...config.proxyGids.map((id) => `--gid-owner ${id}`),
  ];
  // In groups of one, "not this owner" would take the connections of every later owner away from it.
  const groups = owners.length > 2 ? [owners] : owners.map((owner) => [owner]);
  return groups.flatMap((group) => [
    ...(config.mode === 'TPROXY' ? [] : group).flatMap((owner) =>
      ownCalls(config, family).map((destination) =>
        nat(
          'MESH_OUTPUT',
          `-o lo ${destination} -m owner ${owner} -j MESH_IN_REDIRECT`,
          'the proxy calls its own host',
        ),
      ),
    ),
    // A captured range on lo is for everybody.
    ...(capturesLoopback(config, family)
      ? []
      : [
          nat(
            'MESH_OUTPUT',
            group.length === 1 ? `-o lo -m owner ! ${group[0]} -j RETURN` : '-o lo -j RETURN',
            'local',
          ),
        ]),
    ...group.map((owner) => nat('MESH_OUTPUT', `-m owner ${owner} -j RETURN`, 'the proxy calls out')),
  ]);
}

/** Ports on which every proxy serves its readiness and its metrics, on every address. */
const servicePorts = [15021, 15090];

/**
 * Envoy hands a captured connection to its listener on that port, whatever the address: a scrape of another proxy would be
 * answered by the caller's own.
 */
function ownServices(): RedirectRule[] {
  return servicePorts.map((port) => nat('MESH_OUTPUT', `-p tcp --dport ${port} -j RETURN`, 'every proxy serves there'));
}

function capturesOutbound({ outboundCidrs, outboundPorts }: RedirectConfig): boolean {
  return outboundCidrs.length > 0 || outboundPorts.length > 0;
}

/** Before what captures a guest's connections, for the reasons that others have such rules. */
function guestExceptions({ virtualInterfaces, outboundCidrs }: RedirectConfig, family: Family): RedirectRule[] {
  if (outboundCidrs.length === 0) return [];
  const comment = `-m comment --comment ${ownComment}`;
  return virtualInterfaces.flatMap((name) => [
    ...servicePorts.map((port) =>
      first(`-p tcp -i ${name} --dport ${port} ${comment} -j RETURN`, 'every proxy serves there'),
    ),
    ...hostOnlyAddresses[family].map((range) =>
      first(`-i ${name} -d ${range} ${comment} -j RETURN`, 'never from a guest'),
    ),
  ]);
}

function captureAll({ virtualInterfaces }: RedirectConfig): RedirectRule[] {
  return [
    nat('MESH_OUTPUT', '-j MESH_REDIRECT', 'every other address is captured'),
    ...virtualInterfaces.map((name) => first(`-i ${name} -j MESH_REDIRECT`, 'a guest calls out')),
  ];
}

function captureSome(
  { virtualInterfaces, outboundCidrs }: RedirectConfig,
  cidrs: readonly { readonly text: string }[],
): RedirectRule[] {
  if (outboundCidrs.length === 0) return [];
  return [
    ...cidrs.flatMap(({ text }) => [
      ...virtualInterfaces.map((name) => first(`-i ${name} -d ${text} -j MESH_REDIRECT`, 'a guest calls out')),
      nat('MESH_OUTPUT', `-d ${text} -j MESH_REDIRECT`, 'captured addresses'),
    ]),
    nat('MESH_OUTPUT', '-j RETURN', 'every other address is left alone'),
  ];
}

function nat(chain: string, args: string, purpose: string): RedirectRule {
  return { table: 'nat', chain, at: 'end', args: args.split(' '), purpose };
}

function first(args: string, purpose: string): RedirectRule {
  return { table: 'nat', chain: 'PREROUTING', at: 1, args: args.split(' '), purpose };
}
