import type { MeshFile } from '../contracts/mesh-file.ts';
import type { MeshFigures } from './mesh-figures.ts';
import type { EnvoyConfig } from './render/resource.ts';
import type { Workload } from './topology/model.ts';

/**
 * What `compile` gives: one configuration a proxy, sorted by namespace and name, and the facts that Envoy's form does
 * not say.
 */
export interface Compilation {
  readonly configs: readonly EnvoyConfig[];
  /** The root namespace that the objects decided on; undefined while none did, and where a setting names one. */
  readonly decidedRoot: string | undefined;
  /** The selected workloads, in the order of `configs`. */
  readonly workloads: readonly Pick<Workload, 'namespace' | 'name' | 'role' | 'addresses'>[];
  /** Content of `mesh.json`, made each time that it is asked for: it is as big as the mesh. */
  readonly mesh: MeshFile;
  /** What was counted on the way; no output holds it. */
  readonly figures: MeshFigures;
}
