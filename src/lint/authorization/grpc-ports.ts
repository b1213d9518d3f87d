import type { Snapshot } from '../../compiler/snapshot.ts';
import type { ServiceTarget } from '../../compiler/topology/model.ts';
import type { AuthorizationPolicy, Operation } from '../../policy/authorization-policy.ts';
import { declaredPorts } from '../routing/declared-ports.ts';
import { workloadsByPolicy } from './in-force.ts';

type Port = Pick<ServiceTarget, 'port' | 'targetPort'>;

/** The ports of sidecars for which each policy is in force, as far as Services declare them. */
export class GrpcPorts {
  readonly #snapshot: Snapshot;
  readonly #known = new Map<AuthorizationPolicy, readonly Port[]>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** A container port of an operation where all of its ports are declared to speak gRPC, which has its own methods and paths. */
  onlyOf(policy: AuthorizationPolicy, { ports, notPorts = [] }: Operation): number | undefined {
    const all = this.#known.get(policy) ?? this.#portsOf(policy);
    this.#known.set(policy, all);
    const named = all.filter(({ targetPort }) => {
      const number = String(targetPort);
      return (ports === undefined || ports.includes(number)) && !notPorts.includes(number);
    });
    return named.every(({ port }) => port.protocol === 'grpc') ? named[0]?.targetPort : undefined;
  }

  #portsOf(policy: AuthorizationPolicy): readonly Port[] {
    const workloads = workloadsByPolicy(this.#snapshot).get(policy) ?? [];
    if (workloads.some(({ role }) => role !== 'sidecar')) return [];
    const all: readonly Port[] =
      workloads.length === 0 ? declaredPorts(policy, this.#snapshot) : workloads.flatMap(({ targets }) => targets);
    // Each once: thousands of workloads have the same few.
    return [...new Map(all.map((it) => [`${it.targetPort} ${it.port.protocol}`, it])).values()];
  }
}
