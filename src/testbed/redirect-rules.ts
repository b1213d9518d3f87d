/** Address families of the two rule lists. */
export type RuleFamily = 'ipv4' | 'ipv6';

/** Uid and gid of the proxy in every sidecar. */
export const proxyUid = 1337;

/** Ports that reach the pod past the proxy: metrics, health, status. */
const excludedInbound = [15090, 15021, 15020];

/**
 * The standard sidecar's redirection (all inbound but the excluded ports to 15006, all outbound to 15001, the proxy's own
 * traffic direct), as input of `iptables-restore --noflush`. The IPv6 list needs `::6/128` on lo: the address that the
 * proxy calls the application from, as 127.0.0.6 is for IPv4.
 */
export function redirectRules(family: RuleFamily): string {
  const [delivery, loopback] = family === 'ipv4' ? ['127.0.0.6/32', '127.0.0.1/32'] : ['::6/128', '::1/128'];
  const rules = [
    '-N MESH_INBOUND',
    '-N MESH_REDIRECT',
    '-N MESH_IN_REDIRECT',
    '-N MESH_OUTPUT',
    '-A MESH_INBOUND -p tcp --dport 15008 -j RETURN',
    '-A MESH_REDIRECT -p tcp -j REDIRECT --to-ports 15001',
    '-A MESH_IN_REDIRECT -p tcp -j REDIRECT --to-ports 15006',
    '-A PREROUTING -p tcp -j MESH_INBOUND',
    '-A MESH_INBOUND -p tcp --dport 22 -j RETURN',
    ...excludedInbound.map((port) => `-A MESH_INBOUND -p tcp --dport ${port} -j RETURN`),
    '-A MESH_INBOUND -p tcp -j MESH_IN_REDIRECT',
    '-A OUTPUT -p tcp -j MESH_OUTPUT',
    `-A MESH_OUTPUT -o lo -s ${delivery} -j RETURN`,
    ...['uid', 'gid'].flatMap((id) => [
      `-A MESH_OUTPUT -o lo ! -d ${loopback} -m owner --${id}-owner ${proxyUid} -j MESH_IN_REDIRECT`,
      `-A MESH_OUTPUT -o lo -m owner ! --${id}-owner ${proxyUid} -j RETURN`,
      `-A MESH_OUTPUT -m owner --${id}-owner ${proxyUid} -j RETURN`,
    ]),
    `-A MESH_OUTPUT -d ${loopback} -j RETURN`,
    '-A MESH_OUTPUT -j MESH_REDIRECT',
  ];
  return ['*nat', ...rules, 'COMMIT', ''].join('\n');
}
