import type { MutualTls, PeerAuthentication } from '../../policy/peer-authentication.ts';
import type { PolicyOrigin } from '../ir/origin.ts';
import type { Decided, EffectiveInbound, EffectiveMtlsMode } from './effective.ts';
import type { PeerLevels } from './peer-index.ts';
import { originOf } from './policy-order.ts';

/**
 * What one workload accepts. Levels replace each other (mesh, namespace, workload); `UNSET` inherits; the built-in value
 * is PERMISSIVE. Ports come from the oldest workload policy alone, and only where a service targets them (specification,
 * PeerAuthentication rules 1 to 6).
 */
export function composeInbound(levels: PeerLevels, targetPorts: ReadonlySet<number>): EffectiveInbound {
  const mode = composeMode(levels);
  const [policy] = levels.workload;
  const ports = new Map<number, Decided<EffectiveMtlsMode>>();
  for (const [key, mtls] of Object.entries(policy?.spec.portLevelMtls ?? {})) {
    const value = explicitMode(mtls);
    if (policy === undefined || value === undefined || !targetPorts.has(Number(key))) continue;
    const decidedBy = [originOf(policy, ['spec', 'portLevelMtls', key, 'mode'])];
    ports.set(Number(key), { value, origins: { decidedBy, overrode: othersThan(value, wishes(levels, key)) } });
  }
  return { mode, ports: new Map([...ports].sort(([a], [b]) => a - b)) };
}

/**
 * Which of the container ports that something is delivered to have a mode of their own, as a text. Workloads of the same
 * levels for which it is the same accept the same.
 */
export function decidedPorts({ workload: [policy] }: PeerLevels, targetPorts: ReadonlySet<number>): string {
  return Object.keys(policy?.spec.portLevelMtls ?? {})
    .filter((key) => targetPorts.has(Number(key)))
    .join();
}

/** The overall mode of the levels given; also the client's hint, for the mesh and namespace level. */
export function composeMode(levels: PeerLevels): Decided<EffectiveMtlsMode> {
  for (const policy of [levels.workload[0], levels.namespace[0], levels.mesh[0]]) {
    const value = explicitMode(policy?.spec.mtls);
    if (policy === undefined || value === undefined) continue;
    const overrode = othersThan(value, wishes(levels, undefined));
    return { value, origins: { decidedBy: [originOf(policy, ['spec', 'mtls', 'mode'])], overrode } };
  }
  return {
    value: 'PERMISSIVE',
    origins: { decidedBy: [], overrode: othersThan('PERMISSIVE', wishes(levels, undefined)) },
  };
}

interface Wish {
  readonly value: EffectiveMtlsMode;
  readonly origin: PolicyOrigin;
}

/** What every policy that selects the workload asks for, also those that a level's first policy shuts out. */
function wishes(levels: PeerLevels, port: string | undefined): Wish[] {
  const found: Wish[] = [];
  const add = (policy: PeerAuthentication, mtls: MutualTls | undefined, field: string[]): void => {
    const value = explicitMode(mtls);
    if (value !== undefined) found.push({ value, origin: originOf(policy, field) });
  };
  for (const policy of levels.workload) {
    if (port !== undefined) add(policy, policy.spec.portLevelMtls?.[port], ['spec', 'portLevelMtls', port, 'mode']);
    add(policy, policy.spec.mtls, ['spec', 'mtls', 'mode']);
  }
  for (const policy of [...levels.namespace, ...levels.mesh]) add(policy, policy.spec.mtls, ['spec', 'mtls', 'mode']);
  return found;
}

function othersThan(value: EffectiveMtlsMode, all: readonly Wish[]): PolicyOrigin[] {
  return all.filter((wish) => wish.value !== value).map(({ origin }) => origin);
}

function explicitMode(mtls: MutualTls | undefined): EffectiveMtlsMode | undefined {
  return mtls?.mode === 'UNSET' ? undefined : mtls?.mode;
}
