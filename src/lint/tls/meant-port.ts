import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { workloadsByLabels } from '../../compiler/topology/workload-index.ts';
import type { PeerAuthentication } from '../../policy/peer-authentication.ts';
import { declaredPorts, mayListen } from '../routing/declared-ports.ts';

/** The container port that is meant by the port of a service. */
interface Meant {
  readonly service: string;
  readonly targetPort: number;
}

/** The one container port behind the service port, where no selected workload listens on the number as it is. */
function portBehind(port: string, selected: readonly Workload[], { effective }: Snapshot): Meant | undefined {
  if (selected.some((it) => effective.ingress(it).some(({ number }) => String(number) === port))) return undefined;
  const targets = selected.filter(({ role }) => role !== 'none').flatMap((workload) => workload.targets);
  if (targets.some(({ targetPort }) => String(targetPort) === port)) return undefined;
  const behind = targets.filter((target) => String(target.port.number) === port);
  const [first] = behind;
  if (first === undefined || behind.some(({ targetPort }) => targetPort !== first.targetPort)) return undefined;
  return { service: first.service.name, targetPort: first.targetPort };
}

/** The same where the input has the Service, and none of its workloads. */
function declaredPort(port: string, policy: PeerAuthentication, snapshot: Snapshot): Meant | undefined {
  const named = declaredPorts(policy, snapshot).find((it) => String(it.port.number) === port);
  return named === undefined || mayListen(Number(port), policy, snapshot) ? undefined : named;
}

/** The container port that an entry of `portLevelMtls` means, where it names a port of a service in its place. */
export function meantPort(port: string, policy: PeerAuthentication, snapshot: Snapshot): Meant | undefined {
  const selected = workloadsByLabels(snapshot.topology).select(policy.namespace, policy.spec.selector?.matchLabels);
  return selected.length === 0 ? declaredPort(port, policy, snapshot) : portBehind(port, selected, snapshot);
}
