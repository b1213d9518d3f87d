import { createObjectReader, type ReadingOptions } from '../../compiler/read-objects.ts';
import { resolveTopology } from '../../compiler/topology/resolve.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { createKeySetGatherer } from '../../live/key-sets/gather.ts';
import type { MeshObject } from '../../policy/object.ts';
import type { TopologyObject } from '../../policy/topology-kinds.ts';

/** The bag gets what the compiler says of one object, given as YAML or JSON, whatever else its mesh has and is set to. */
export async function examineObject(
  text: string,
  bag: DiagnosticBag,
  reading: Pick<ReadingOptions, 'skipsGatewayApi'> = {},
): Promise<void> {
  const objects = createObjectReader(reading)([{ path: 'object', text, isSizeChecked: true }], bag);
  await createKeySetGatherer().gather(objects, bag);
  const own = new DiagnosticBag();
  resolveTopology(objects.filter(hasAddresses), defaultSettings, own);
  // A warning may be about what is missing beside it.
  bag.addAll(own.all.filter(({ severity }) => severity === 'error'));
}

function hasAddresses(object: MeshObject<string>): object is TopologyObject {
  return object.kind === 'ServiceEntry' || object.kind === 'WorkloadEntry';
}
