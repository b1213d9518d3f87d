import { createCompiler } from '../compiler/compile.ts';
import type { WorkloadKey } from '../compiler/merge/effective.ts';
import { plainAddress } from '../config/address.ts';
import type { Settings } from '../config/settings.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import type { Pod, WorkloadEntry } from '../policy/topology-kinds.ts';
import { readSources } from '../source/read.ts';

/**
 * Pods and workload entries that have the address in the inputs as they are now; what is wrong with them is reported later, and
 * other objects are of no interest.
 */
export async function workloadsAt(
  address: string,
  inputs: readonly string[],
  settings: Settings,
): Promise<readonly WorkloadKey[]> {
  const bag = new DiagnosticBag();
  const objects = createCompiler({ settings, skipsGatewayApi: true }).read(await readSources(inputs, bag), bag);
  return objects.filter((object) => addressesOf(object).some((text) => plainAddress(text) === address));
}

function addressesOf(object: MeshObject<string>): readonly string[] {
  if (object.kind === 'Pod') {
    const { status } = object as Pod;
    return [status?.podIP ?? [], (status?.podIPs ?? []).map(({ ip }) => ip)].flat();
  }
  return object.kind === 'WorkloadEntry' ? [(object as WorkloadEntry).spec.address ?? []].flat() : [];
}
