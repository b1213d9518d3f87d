import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { protocolClass } from '../../compiler/topology/protocol.ts';
import type { AuthorizationPolicy, Operation } from '../../policy/authorization-policy.ts';
import { declaredPorts } from '../routing/declared-ports.ts';

/** Whether each container port is read as HTTP, or may be; undefined where a gateway is among the workloads. */
export function readPorts(
  policy: AuthorizationPolicy,
  workloads: readonly Workload[],
  snapshot: Snapshot,
): ReadonlyMap<string, boolean> | undefined {
  if (workloads.some(({ role }) => role !== 'sidecar')) return undefined;
  const ports = new Map<string, boolean>();
  const all = workloads.length === 0 ? declaredPorts(policy, snapshot) : workloads.flatMap(({ targets }) => targets);
  for (const { port, targetPort } of all) {
    const kind = protocolClass(port.protocol, snapshot.settings.sniffInbound);
    if (kind === 'none') continue;
    const before = ports.get(String(targetPort)) ?? false;
    ports.set(String(targetPort), before || kind !== 'tcp');
  }
  return ports;
}

/** The ports of an operation, or all where it names none, if none of them is read as HTTP; else none. */
export function tcpPortsOf({ ports, notPorts }: Operation, read: ReadonlyMap<string, boolean>): readonly string[] {
  const named = ports ?? (notPorts ? [] : [...read.keys()]);
  return named.every((port) => read.get(port) === false) ? named : [];
}
