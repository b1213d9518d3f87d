import type { Family } from '../../config.ts';
import { addresses } from './addresses.ts';

/** Link addresses of the workload, by who shares the link. */
export const workloadLinks = { peer: '02:00:00:00:77:01', guest: '02:00:00:00:99:01' } as const;

const peerLink = '02:00:00:00:77:02';

/**
 * Shell script that builds namespaces `workload`, `peer` and `guest`, joined by veth pairs: eth0 between workload and
 * peer, vnet0 between workload and guest. The workload forwards for the guest, as a host does for its containers. The
 * peer leads the service address back to the workload, from an address of its own, as a service proxy does. Both leave
 * connections that `frames.py` makes alone, by their ports.
 */
export const networkScript = `
PATH="$PATH:/usr/sbin:/sbin"
ip link set lo up
for n in workload peer guest; do
  ip netns add $n
  nsenter --net=/run/netns/$n sh -c 'cd /proc/sys/net; for f in all default lo; do
    echo 0 > ipv6/conf/$f/disable_ipv6; echo 0 > ipv6/conf/$f/accept_dad; done
    echo 0 > ipv4/conf/all/rp_filter; echo 0 > ipv4/conf/default/rp_filter'
  ip -n $n link set lo up
done
ip -n workload link add eth0 address ${workloadLinks.peer} type veth peer name eth0 address ${peerLink} netns peer
ip -n workload link add vnet0 address ${workloadLinks.guest} type veth peer name eth0 netns guest
for n in peer guest; do for tool in iptables ip6tables; do
  nsenter --net=/run/netns/$n $tool -A OUTPUT -p tcp --sport 61000:64999 --tcp-flags RST RST -j DROP
done; done
for n in workload peer; do
  nsenter --net=/run/netns/$n sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
    echo 0 > /proc/sys/net/ipv4/conf/all/send_redirects; echo 0 > /proc/sys/net/ipv4/conf/default/send_redirects'
done
${assign('workload', 'eth0', 'workload', 'workload-second')}
${assign('workload', 'vnet0', 'workload-virtual')}
${assign('peer', 'eth0', 'peer', 'peer-excluded')}
${assign('guest', 'eth0', 'guest')}
# A question for the link address of the peer would be asked from the address that a frame named.
${families((family) => `ip -n workload neigh add ${addresses.peer[family]} lladdr ${peerLink} dev eth0 nud permanent`)}
${families((family) => `ip -n workload route add default via ${addresses.peer[family]} src ${addresses.workload[family]}`)}
${families((family) => `ip -n peer route add ${subnetOf('guest', family)} via ${addresses.workload[family]}`)}
${families((family) => `ip -n guest route add default via ${addresses['workload-virtual'][family]}`)}
${families(
  (family) =>
    `${peerNat(family)} -A PREROUTING -d ${addresses.service[family]} -j DNAT --to-destination ${addresses.workload[family]}
${peerNat(family)} -A POSTROUTING -m conntrack --ctstate DNAT -j MASQUERADE`,
)}
`;

function peerNat(family: Family): string {
  return `nsenter --net=/run/netns/peer ${family === 'IPv4' ? 'iptables' : 'ip6tables'} -t nat`;
}

function assign(network: string, device: string, ...names: readonly (keyof typeof addresses)[]): string {
  const lines = names.flatMap((name) => [
    `ip -n ${network} addr add ${addresses[name].IPv4}/24 dev ${device}`,
    `ip -n ${network} addr add ${addresses[name].IPv6}/64 dev ${device} nodad`,
  ]);
  return [...lines, `ip -n ${network} link set ${device} up`].join('\n');
}

function families(line: (family: Family) => string): string {
  return [line('IPv4'), line('IPv6')].join('\n');
}

function subnetOf(name: keyof typeof addresses, family: Family): string {
  const address = addresses[name][family];
  return family === 'IPv4' ? address.replace(/\d+$/, '0/24') : address.replace(/\d+$/, '/64');
}
