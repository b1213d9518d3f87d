import { hostOnlyAddresses } from '../lib/host-only-addresses.ts';
import type { Family, PortRange, RedirectConfig } from './config.ts';
import { localAddresses, ownComment, type RedirectRule } from './rule.ts';

/** Remote shells stay reachable when all inbound ports are captured, so that a broken proxy can be mended. */
const shellPort: PortRange = { first: 22, last: 22 };

/** Rules that lead connections from elsewhere to the proxy, and the two targets of all redirection. */
export function planInbound(config: RedirectConfig, family: Family): RedirectRule[] {
  const isTproxy = config.mode === 'TPROXY';
  return [
    ...(isTproxy ? [] : tunnel(config, 'nat')),
    nat('MESH_REDIRECT', `-p tcp -j REDIRECT --to-ports ${config.proxyPort}`, 'to the port for outbound connections'),
    nat('MESH_IN_REDIRECT', `-p tcp -j REDIRECT --to-ports ${config.inboundPort}`, 'to the port for inbound ones'),
    ...(capturesInbound(config) ? (isTproxy ? tproxy(config, family) : redirect(config, family)) : []),
  ];
}

/**
 * Under TPROXY the proxy calls its application from the client's address. The mark says so: kept with the connection, it
 * leads the application's answers back to the proxy. The next number marks the proxy's calls to its own pod, the only
 * packets on lo that are captured.
 */
export function planTproxyMarks(config: RedirectConfig, family: Family): RedirectRule[] {
  if (config.mode !== 'TPROXY' || !capturesInbound(config)) return [];
  const { delivery, bits } = localAddresses[family];
  const mark = config.tproxyMark;
  const comment = `-m comment --comment ${ownComment}`;
  const owners = [
    ...config.proxyUids.map((id) => `--uid-owner ${id}`),
    ...config.proxyGids.map((id) => `--gid-owner ${id}`),
  ];
  return [
    mangle('PREROUTING', `-p tcp -m mark --mark ${mark} ${comment} -j CONNMARK --save-mark`, 'keep the mark'),
    mangle('OUTPUT', `-p tcp -o lo -m mark --mark ${mark} ${comment} -j RETURN`, 'to the application'),
    ...owners.flatMap((owner) =>
      ownCalls(config, family).map((destination) =>
        mangle(
          'OUTPUT',
          `${destination} -p tcp -o lo -m owner ${owner} ${comment} -j MARK --set-mark ${mark + 1}`,
          'the proxy calls its own pod',
        ),
      ),
    ),
    mangle('OUTPUT', `-p tcp -m connmark --mark ${mark} ${comment} -j CONNMARK --restore-mark`, 'answers to the proxy'),
    mangle('MESH_INBOUND', `-p tcp -m mark --mark ${mark} -j RETURN`, 'from the proxy to the application', 1),
    mangle('MESH_INBOUND', `-p tcp -s ${delivery}/${bits} -i lo -j RETURN`, 'from the proxy to the application', 2),
    mangle('MESH_INBOUND', `-p tcp -i lo -m mark ! --mark ${mark + 1} -j RETURN`, 'local connections', 3),
  ];
}

/**
 * Destinations of the proxy's local calls that count as inbound. What it captures of loopback for others it calls directly:
 * inbound, the proxy closes such destinations. The probe of the rules goes to the delivery address.
 */
export function ownCalls({ outboundCidrs }: RedirectConfig, family: Family): string[] {
  const { loopback, delivery, bits } = localAddresses[family];
  if (!capturesLoopback({ outboundCidrs }, family)) return [`! -d ${loopback}/${bits}`];
  return [`-d ${delivery}/${bits}`, '! -d 127.0.0.0/8'];
}

/** Whether a range of `-i` lies in 127.0.0.0/8; of IPv6 no other address than `::1` does. */
export function capturesLoopback({ outboundCidrs }: Pick<RedirectConfig, 'outboundCidrs'>, family: Family): boolean {
  if (outboundCidrs === 'all' || family === 'IPv6') return false;
  return outboundCidrs.some((cidr) => cidr.family === 'IPv4' && cidr.text.startsWith('127.'));
}

function capturesInbound({ inboundPorts }: RedirectConfig): boolean {
  return inboundPorts === 'all' || inboundPorts.length > 0;
}

function redirect(config: RedirectConfig, family: Family): RedirectRule[] {
  const start = [nat('PREROUTING', '-p tcp -j MESH_INBOUND', 'inbound connections'), ...hostOnly('nat', family)];
  if (config.inboundPorts === 'all') {
    const rest = nat('MESH_INBOUND', '-p tcp -j MESH_IN_REDIRECT', 'every other port is captured');
    return [...start, ...exclusions(config, 'nat'), rest];
  }
  const ports = config.inboundPorts.map((port) =>
    nat('MESH_INBOUND', `-p tcp --dport ${formatPorts(port)} -j MESH_IN_REDIRECT`, 'captured port'),
  );
  return [...start, ...ports];
}

function tproxy(config: RedirectConfig, family: Family): RedirectRule[] {
  const { loopback, bits } = localAddresses[family];
  const { tproxyMark: mark, inboundPort } = config;
  const known = '-m conntrack --ctstate RELATED,ESTABLISHED -j MESH_DIVERT';
  const rules = [
    mangle('MESH_DIVERT', `-j MARK --set-mark ${mark}`, 'to this host, whatever the address'),
    mangle('MESH_DIVERT', '-j ACCEPT', 'to the socket that it belongs to'),
    mangle(
      'MESH_TPROXY',
      `! -d ${loopback}/${bits} -p tcp -j TPROXY --tproxy-mark ${mark}/0xffffffff --on-port ${inboundPort}`,
      'to the port for inbound connections, addresses unchanged',
    ),
    mangle('PREROUTING', '-p tcp -j MESH_INBOUND', 'inbound connections'),
    ...hostOnly('mangle', family),
    ...config.virtualInterfaces.map((name) => mangle('MESH_INBOUND', `-i ${name} -j RETURN`, 'a guest calls out')),
    ...tunnel(config, 'mangle'),
  ];
  if (config.inboundPorts === 'all') {
    rules.push(
      ...exclusions(config, 'mangle'),
      mangle('MESH_INBOUND', `-p tcp ${known}`, 'connections that exist'),
      mangle('MESH_INBOUND', '-p tcp -j MESH_TPROXY', 'every other port is captured'),
    );
    return rules;
  }
  for (const port of config.inboundPorts) {
    const match = `-p tcp --dport ${formatPorts(port)}`;
    rules.push(mangle('MESH_INBOUND', `${match} ${known}`, 'connections that exist'));
    rules.push(mangle('MESH_INBOUND', `${match} -j MESH_TPROXY`, 'captured port'));
  }
  return rules;
}

/**
 * A neighbour's frame may name any destination, and the rules see it before the kernel refuses an address of its own host:
 * captured, it would reach what listens on loopback alone. What is left alone here the kernel drops.
 */
function hostOnly(table: 'nat' | 'mangle', family: Family): RedirectRule[] {
  return hostOnlyAddresses[family].map((range) =>
    rule(table, 'MESH_INBOUND', `-d ${range} ! -i lo -j RETURN`, 'never from elsewhere'),
  );
}

function tunnel({ tunnelPort }: RedirectConfig, table: 'nat' | 'mangle'): RedirectRule[] {
  if (tunnelPort === undefined) return [];
  return [rule(table, 'MESH_INBOUND', `-p tcp --dport ${tunnelPort} -j RETURN`, 'the proxy serves the tunnel itself')];
}

function exclusions({ excludedInboundPorts }: RedirectConfig, table: 'nat' | 'mangle'): RedirectRule[] {
  return [shellPort, ...excludedInboundPorts].map((port) =>
    rule(table, 'MESH_INBOUND', `-p tcp --dport ${formatPorts(port)} -j RETURN`, 'excluded port'),
  );
}

/** The form of `--dport`: `80`, `8000:8999`. */
export function formatPorts({ first, last }: PortRange): string {
  return first === last ? String(first) : `${first}:${last}`;
}

function nat(chain: string, args: string, purpose: string): RedirectRule {
  return rule('nat', chain, args, purpose);
}

function mangle(chain: string, args: string, purpose: string, at?: number): RedirectRule {
  return rule('mangle', chain, args, purpose, at);
}

function rule(table: 'nat' | 'mangle', chain: string, args: string, purpose: string, at?: number): RedirectRule {
  return { table, chain, at: at ?? 'end', args: args.split(' '), purpose };
}
