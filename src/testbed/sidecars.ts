import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkloadAuthority } from './authority.ts';
import type { FloorPlan, PlannedPod } from './floor-plan.ts';
import type { PolicyFolder } from './policy-folder.ts';
import { type Sandbox, scratch } from './sandbox.ts';
import { type Provision, provisionCertificate, type Sidecar, startSidecar } from './sidecar.ts';

/** What the proxies of a testbed are given. */
export interface SidecarsOptions {
  /** Fields of the mesh configuration. */
  readonly meshConfig?: Readonly<Record<string, unknown>>;
  /** Trust domain that a pod's certificate is from, by `namespace/name`; cluster.local otherwise. */
  readonly trustDomains?: Readonly<Record<string, string>>;
  /** Further variables of every agent. */
  readonly env?: Readonly<Record<string, string>>;
  /** What each workload is given, once the network is there; a certificate of one authority by default. */
  readonly provision?: (sandbox: Sandbox, pod: PlannedPod) => Promise<Provision>;
}

/** Starts the proxy of a pod. */
export type StartSidecar = (pod: PlannedPod, env?: Readonly<Record<string, string>>) => Promise<Sidecar>;

/** Writes the mesh configuration; what it gives starts a proxy with it. */
export async function sidecarStarter(
  sandbox: Sandbox,
  ca: WorkloadAuthority,
  folder: PolicyFolder,
  options: SidecarsOptions,
): Promise<StartSidecar> {
  const { meshConfig = {}, env = {}, provision = certificatesOf(ca, options) } = options;
  await writeFile(join(sandbox.folder, 'mesh-config.yaml'), JSON.stringify(meshConfig));
  const inputs = { policies: [join(scratch, folder.name)], meshConfigFile: join(scratch, 'mesh-config.yaml') };
  return async (pod, more = {}) => {
    const provided = await provision(sandbox, pod);
    return startSidecar(sandbox, pod, { provision: provided, ...inputs, env: { ...env, ...more } });
  };
}

/** Certificates of one authority, in the pod's trust domain. */
function certificatesOf(
  ca: WorkloadAuthority,
  { trustDomains = {} }: SidecarsOptions,
): NonNullable<SidecarsOptions['provision']> {
  return async (_sandbox, pod) => {
    const trustDomain = trustDomains[keyOf(pod)] ?? 'cluster.local';
    const identity = `spiffe://${trustDomain}/ns/${pod.namespace}/sa/${pod.serviceAccount}`;
    return provisionCertificate(await ca.issue(identity));
  };
}

/** Starts all proxies of a plan, by `namespace/name`; does not wait until they are ready. */
export async function startSidecars({ pods }: FloorPlan, start: StartSidecar): Promise<Map<string, Sidecar>> {
  const started = pods
    .filter(({ hasSidecar, isRouter }) => hasSidecar || isRouter)
    .map(async (pod): Promise<[string, Sidecar]> => [keyOf(pod), await start(pod)]);
  return new Map(await Promise.all(started));
}

function keyOf({ namespace, name }: PlannedPod): string {
  return `${namespace}/${name}`;
}
