import type { Topology } from '../../compiler/topology/model.ts';
import type { Settings } from '../../config/settings.ts';
import { meshSuffixes } from '../../dns/mesh-names.ts';
import { type NameChanges, NameTeller } from './name-changes.ts';
import { NameTable } from './name-table.ts';

/** The names of a mesh, version after version. */
export class MeshNames {
  readonly #table = new NameTable();
  readonly #teller = new NameTeller();

  /** What differs from the version before; undefined: nothing, or there are no settings yet. */
  changesTo(topology: Topology, settings: Pick<Settings, 'clusterDomain'> | undefined): NameChanges | undefined {
    if (settings === undefined) return undefined;
    const suffixes = meshSuffixes(settings.clusterDomain, undefined);
    return this.#teller.changesTo(this.#table.of(topology, suffixes), suffixes);
  }
}
