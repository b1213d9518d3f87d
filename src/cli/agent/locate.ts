import { createCompiler } from '../../compiler/compile.ts';
import { plainAddress } from '../../config/address.ts';
import type { Environment } from '../../config/environment.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ProxyIdentity } from '../../live/node-id.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { Pod, WorkloadEntry } from '../../policy/topology-kinds.ts';
import { readSources } from '../../source/read.ts';
import { type IdentityFlags, identifyProxy, needsOwnAddress } from './workload.ts';

/** What is needed to say which workload the proxy serves. */
export interface LocateOptions {
  readonly flags: IdentityFlags;
  readonly environment: Environment;
  readonly settings: Settings;
  /** Files and folders of policies and topology. */
  readonly inputs: readonly string[];
  /** Addresses of the machine; asked for only when nothing names one and the registry knows the proxy by its address. */
  readonly ownAddresses: () => Promise<readonly string[]>;
}

/** Who the proxy is; a UsageError when neither flags, variables nor an address of the inputs say so. */
export async function locateProxy(options: LocateOptions): Promise<ProxyIdentity> {
  const { flags, environment } = options;
  const own = needsOwnAddress(flags, environment) ? (await options.ownAddresses())[0] : undefined;
  const { workload, ...identity } = identifyProxy(flags, environment, own);
  return { ...identity, ...(workload ?? (await workloadAt(identity.ip ?? '', options))) };
}

/**
 * The pod, or the workload entry, that has the address in the inputs as they are now; what is wrong with them is
 * reported later.
 */
async function workloadAt(
  address: string,
  { inputs, settings }: LocateOptions,
): Promise<{ readonly namespace: string; readonly name: string }> {
  const bag = new DiagnosticBag();
  const objects = createCompiler({ settings }).read(await readSources(inputs, bag), bag);
  const found = objects.filter((object) => addressesOf(object).some((text) => plainAddress(text) === address));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return { namespace: only.namespace, name: only.name };
  const count = only === undefined ? 'no workload of the inputs has' : 'several workloads of the inputs have';
  throw new UsageError(`${count} the address "${address}": give --id NAME.NAMESPACE`);
}

function addressesOf(object: MeshObject<string>): readonly string[] {
  if (object.kind === 'Pod') {
    const { status } = object as Pod;
    return [status?.podIP ?? [], (status?.podIPs ?? []).map(({ ip }) => ip)].flat();
  }
  return object.kind === 'WorkloadEntry' ? [(object as WorkloadEntry).spec.address ?? []].flat() : [];
}
