import type { Cidr, PortRange, RedirectConfig } from './config.ts';
import { type RedirectFlagName, type RedirectSettings, sourceOf } from './flags.ts';
import { contains, overlaps } from './parse-list.ts';
import { formatPorts } from './plan-inbound.ts';

/** What is as it was asked for and has no effect, or one that may surprise; one line each. */
export function warningsOf(config: RedirectConfig, settings: RedirectSettings): string[] {
  const { inboundPorts, outboundCidrs, mode } = config;
  const isGiven = (flag: RedirectFlagName): boolean => settings[flag].source === `--${flag}`;
  const capturesOutbound = outboundCidrs === 'all' || outboundCidrs.length > 0 || config.outboundPorts.length > 0;
  const ipv6: readonly Cidr[] = [
    ...(outboundCidrs === 'all' ? [] : outboundCidrs),
    ...config.excludedOutboundCidrs,
  ].filter(({ family }) => family === 'IPv6');
  const found: (readonly [boolean, string])[] = [
    [
      inboundPorts !== 'all' && config.excludedInboundPorts.length > 0,
      `${sourceOf(settings, 'mesh-local-exclude-ports')} has no effect: not all inbound ports are captured`,
    ],
    [
      config.excludedOutboundCidrs.length > 0 && !capturesOutbound,
      `${sourceOf(settings, 'mesh-service-exclude-cidr')} has no effect: no outbound connection is captured`,
    ],
    [
      config.excludedOutboundPorts.length > 0 && !capturesOutbound,
      `${sourceOf(settings, 'mesh-local-outbound-ports-exclude')} has no effect: no outbound connection is captured`,
    ],
    [
      mode === 'REDIRECT' && (isGiven('mesh-inbound-tproxy-mark') || isGiven('mesh-inbound-tproxy-route-table')),
      'mark and route table have no effect: the mode is REDIRECT',
    ],
    [
      mode === 'TPROXY' && inboundPorts.length === 0,
      `${sourceOf(settings, 'mesh-inbound-interception-mode')} "TPROXY" has no effect: no inbound port is captured (--mesh-inbound-ports)`,
    ],
    [
      ipv6.length > 0 && !config.families.includes('IPv6'),
      `IPv6 is off, so ${ipv6.map(({ text }) => `"${text}"`).join(', ')} has no effect`,
    ],
    [
      config.proxyUids.includes(0) || config.proxyGids.includes(0),
      "connections of root count as the proxy's own and bypass it (id 0 in --proxy-uid or --proxy-gid)",
    ],
  ];
  return [...overlapsOf(config, settings), ...found.flatMap(([holds, text]) => (holds ? [text] : []))];
}

/** Lists that name the same twice; which of the two counts follows from the order of the rules. */
function overlapsOf(config: RedirectConfig, settings: RedirectSettings): string[] {
  const { inboundPorts, outboundCidrs, excludedOutboundCidrs } = config;
  const name = (flag: RedirectFlagName): string => sourceOf(settings, flag);
  const both = (list: readonly PortRange[], other: readonly PortRange[]): readonly string[] =>
    list.filter((port) => other.some((one) => overlaps(port, one))).map(formatPorts);
  const inbound = inboundPorts === 'all' ? [] : both(inboundPorts, config.excludedInboundPorts);
  const inside = (outboundCidrs === 'all' ? [] : outboundCidrs).flatMap((cidr) => {
    const outer = excludedOutboundCidrs.find((excluded) => contains(excluded, cidr));
    return outer === undefined ? [] : [[cidr.text, outer.text] as const];
  });
  return [
    ...inbound.map(
      (port) =>
        `${name('mesh-inbound-ports')}: "${port}" is in ${name('mesh-local-exclude-ports')} too: it is captured`,
    ),
    ...both(config.outboundPorts, config.excludedOutboundPorts).map((port) => {
      const other = name('mesh-local-outbound-ports-exclude');
      return `${name('mesh-outbound-ports')}: "${port}" is in ${other} too: what both name is left alone`;
    }),
    ...inside.map(([text, outer]) => {
      const other = `${name('mesh-service-exclude-cidr')} "${outer}"`;
      return `${name('mesh-service-cidr')}: "${text}" lies in ${other}: it is left alone`;
    }),
  ];
}
