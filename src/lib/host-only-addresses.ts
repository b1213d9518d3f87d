/**
 * Addresses that no pod has on its network: "this host", loopback, multicast and broadcast (RFC 6890, RFC 4291), and
 * IPv4 in IPv6. A program that dials one of the first two, or of the last, reaches its own host; so what arrives from the
 * network for one of them must neither be captured nor be dialled by the proxy. Each in the form in which `iptables-save`
 * prints it.
 */
export const hostOnlyAddresses = {
  IPv4: ['0.0.0.0/8', '127.0.0.0/8', '224.0.0.0/4', '255.255.255.255/32'],
  IPv6: ['::/128', '::1/128', '::ffff:0.0.0.0/96', 'ff00::/8'],
} as const;
