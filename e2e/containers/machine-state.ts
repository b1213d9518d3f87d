import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { podIp } from './played.ts';

/** What containers could leave on the machine: mounts, addresses, network namespaces, packet filter, control groups. */
export async function machineState(): Promise<readonly string[]> {
  const look = `grep -E 'mesh-testbed-|/podman/' /proc/self/mounts; ip -o addr | grep -F ${podIp.replace(/\d+$/, '')}
    ls /run/netns 2>/dev/null | grep '^netns-'; iptables-save | grep NETAVARK; find /sys/fs/cgroup -name '*libpod*'; true`;
  return (await promisify(execFile)('sh', ['-c', look])).stdout.split('\n');
}
