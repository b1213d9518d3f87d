import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FloorPlan, PlannedPod, PlannedService } from './floor-plan.ts';
import { repository, type Sandbox } from './sandbox.ts';
import { node, proxyUid } from './sidecar.ts';

type RuleFamily = 'ipv4' | 'ipv6';

/** The hub's own addresses: every pod's gateway. */
const gateway = { ipv4: '10.77.0.1', ipv6: 'fd77::1' };

/**
 * One network namespace a pod, joined by a bridge in the hub; redirection where there is a sidecar; service names in
 * /etc/hosts; virtual addresses translated in the hub, so that a client without a sidecar reaches them too. Nothing
 * touches the machine's own network.
 */
export async function buildNetwork(sandbox: Sandbox, { pods, services }: FloorPlan): Promise<void> {
  const script = [hubScript, ...pods.map(podScript)].join('\n');
  // Several hundred programs, one after the other.
  await sandbox.must(['sh', '-e'], { stdin: script, timeoutMs: 120_000 });
  const tasks = families.map((family) => restore(sandbox, undefined, family, translations(services, family)));
  for (const pod of pods.filter(({ hasSidecar }) => hasSidecar)) tasks.push(redirect(sandbox, pod));
  await Promise.all(tasks);
  await appendFile(join(sandbox.folder, 'hosts'), hosts(services));
}

const families: readonly RuleFamily[] = ['ipv4', 'ipv6'];

/** Pods have no on-link neighbours (32 and 128 bit masks): all goes through the hub, so that replies are translated back. */
const hubScript = `
ip link set lo up
ip link add mesh0 type bridge
for s in ipv6/conf/all/disable_ipv6=0 ipv6/conf/all/forwarding=1 ipv6/conf/all/accept_dad=0 ipv6/conf/default/accept_dad=0 \
  ipv6/conf/mesh0/accept_dad=0 ipv4/ip_forward=1 ipv4/conf/all/send_redirects=0 ipv4/conf/mesh0/send_redirects=0 ipv4/conf/all/rp_filter=0
do echo "\${s#*=}" > "/proc/sys/net/\${s%=*}"; done
ip addr add ${gateway.ipv4}/16 dev mesh0
ip addr add ${gateway.ipv6}/64 dev mesh0 nodad
ip link set mesh0 up
`;

/** Commands that make the network namespace of a pod, in the hub; `index` is of no other pod. */
export function podScript(
  { network, ipv4, ipv6 }: Pick<PlannedPod, 'network' | 'ipv4' | 'ipv6'>,
  index: number,
): string {
  const inside = `ip -n ${network}`;
  const lines = [
    `ip netns add ${network}`,
    `ip link add p${index} type veth peer name eth0 netns ${network}`,
    `ip link set p${index} master mesh0 up`,
    `nsenter --net=/run/netns/${network} sh -c 'cd /proc/sys/net/ipv6/conf; for f in all default eth0; do echo 0 > $f/disable_ipv6; echo 0 > $f/accept_dad; done'`,
    `${inside} link set lo up`,
    `${inside} link set eth0 up`,
  ];
  if (ipv4 !== undefined) {
    lines.push(
      `${inside} addr add ${ipv4}/32 dev eth0`,
      `${inside} route add ${gateway.ipv4} dev eth0`,
      `${inside} route add default via ${gateway.ipv4}`,
    );
  }
  if (ipv6 !== undefined) {
    lines.push(
      `${inside} addr add ${ipv6}/128 dev eth0 nodad`,
      `${inside} route add ${gateway.ipv6} dev eth0`,
      `${inside} route add default via ${gateway.ipv6}`,
    );
  }
  return lines.join('\n');
}

/** What an orchestrator's service proxy does: the virtual address and port become the pod's. */
function translations(services: readonly PlannedService[], family: RuleFamily): string {
  const rules = services.flatMap(({ addresses, ports, backend }) =>
    addresses
      .filter((address) => address.includes(':') === (family === 'ipv6'))
      .flatMap((address) => {
        const target = family === 'ipv4' ? backend?.ipv4 : backend?.ipv6 && `[${backend.ipv6}]`;
        if (target === undefined) return [];
        return ports.map(
          ({ port, targetPort }) =>
            `-A PREROUTING -d ${address} -p tcp --dport ${port} -j DNAT --to-destination ${target}:${targetPort}`,
        );
      }),
  );
  return ['*nat', ...rules, 'COMMIT', ''].join('\n');
}

/** Ports that reach the pod past the proxy: metrics, health, status. */
const excludedInbound = '15090,15021,15020';

async function redirect(sandbox: Sandbox, { network, interceptionMode }: PlannedPod): Promise<void> {
  const owner = String(proxyUid);
  const capture = ['-m', interceptionMode, '-b', '*', '-d', excludedInbound, '-i', '*', '-u', owner, '-g', owner];
  await sandbox.must([node, `${repository}/dist/pilot-agent.js`, 'istio-iptables', ...capture], {
    network,
    // Those of all pods run side by side.
    timeoutMs: 120_000,
  });
}

async function restore(
  sandbox: Sandbox,
  network: string | undefined,
  family: RuleFamily,
  rules: string,
): Promise<void> {
  const program = family === 'ipv4' ? 'iptables-restore' : 'ip6tables-restore';
  const place = network === undefined ? {} : { network };
  await sandbox.must(['sh', '-c', `PATH="$PATH:/usr/sbin:/sbin" exec ${program} --noflush --wait 10`], {
    ...place,
    stdin: rules,
  });
}

function hosts(services: readonly PlannedService[]): string {
  const lines = services.flatMap(({ names, addresses }) => addresses.map((address) => `${address} ${names.join(' ')}`));
  return ['127.0.0.1 localhost', '::1 localhost', ...lines, ''].join('\n');
}
