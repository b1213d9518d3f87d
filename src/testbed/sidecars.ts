import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkloadAuthority } from '../control/ca/temporary-authority.ts';
import type { FloorPlan, PlannedPod } from './floor-plan.ts';
import type { PolicyFolder } from './policy-folder.ts';
import { type Sandbox, scratch } from './sandbox.ts';
import { type Provision, provisionCertificate, type Sidecar, startSidecar } from './sidecar.ts';
import { until } from './until.ts';

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

/** The proxies of a testbed: how one starts, and how it is known what they have. */
export interface ProxyFleet {
  readonly start: StartSidecar;
  /**
   * Makes a change of the policy folder, which gives its marker; returns when these proxies have it in force, throws when
   * one refuses it.
   */
  change(sidecars: readonly Sidecar[], make: () => Promise<string>): Promise<void>;
}

/** What a fleet is made in. */
export interface FleetPlace {
  readonly sandbox: Sandbox;
  readonly ca: WorkloadAuthority;
  readonly folder: PolicyFolder;
}

/** Agents that each compile the policy folder. */
export async function compilingFleet(place: FleetPlace, options: SidecarsOptions): Promise<ProxyFleet> {
  const start = await agentStarter(place, options, [join(scratch, place.folder.name)]);
  return {
    start,
    change: async (sidecars, make) => {
      const before = await Promise.all(sidecars.map(async (sidecar) => (await sidecar.output()).length));
      const marker = await make();
      const waits = sidecars.map((sidecar, i) => untilInForce(sidecar, marker, before[i] ?? 0));
      const ends = await Promise.allSettled(waits);
      // Not before each has said how it went: what one says late would be taken for its word on the next change.
      const refused = ends.find((end) => end.status === 'rejected');
      if (refused !== undefined) throw refused.reason;
    },
  };
}

/** Writes the mesh configuration; what it gives starts an agent with it, and with these folders of policies. */
export async function agentStarter(
  { sandbox, ca }: FleetPlace,
  options: SidecarsOptions,
  policies: readonly string[],
): Promise<StartSidecar> {
  const { meshConfig = {}, env = {}, provision = certificatesOf(ca, options) } = options;
  await writeFile(join(sandbox.folder, 'mesh-config.yaml'), JSON.stringify(meshConfig));
  const inputs = { policies, meshConfigFile: join(scratch, 'mesh-config.yaml') };
  return async (pod, more = {}) => {
    const provided = await provision(sandbox, pod);
    return startSidecar(sandbox, pod, { provision: provided, ...inputs, env: { ...env, ...more } });
  };
}

/** The agent writes mesh.json when Envoy has the change in force (or sees no difference), and then says how it went. */
async function untilInForce(sidecar: Sidecar, marker: string, from: number): Promise<void> {
  const newOutput = async (): Promise<string> => (await sidecar.output()).slice(from);
  const probe = async (): Promise<true | undefined> => {
    const output = await newOutput();
    const refusal = /(the change is not taken|the last valid version of .* stays in force).*/.exec(output);
    if (sidecar.program.exitCode !== undefined) throw new Error(await otherwise());
    if (refusal !== null) throw new Error(`${sidecar.pod.network}: ${refusal[0]}`);
    // It takes a process to read the file: not before there is something to see.
    if (!/configuration (in force|unchanged|mended)/.test(output)) return undefined;
    return (await sidecar.configFile('mesh.json'))?.includes(`"${marker}"`) ? true : undefined;
  };
  const otherwise = async (): Promise<string> =>
    `${sidecar.pod.network} has no ${marker} in force:\n${await newOutput()}`;
  await until(probe, { timeoutMs: 90_000, everyMs: 50, otherwise });
}

/** Certificates of one authority, in the pod's trust domain. */
export function certificatesOf(
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
export async function startSidecars({ pods }: FloorPlan, { start }: ProxyFleet): Promise<Map<string, Sidecar>> {
  const started = pods
    .filter(({ hasSidecar, isRouter }) => hasSidecar || isRouter)
    .map(async (pod): Promise<[string, Sidecar]> => [keyOf(pod), await start(pod)]);
  return new Map(await Promise.all(started));
}

function keyOf({ namespace, name }: PlannedPod): string {
  return `${namespace}/${name}`;
}
