import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Settings } from '../../config/settings.ts';
import { meshSuffixes } from '../../dns/mesh-names.ts';
import { type NameChanges, NameTeller } from './name-changes.ts';
import { NameTable } from './name-table.ts';
import { ScopeTeller } from './scope-changes.ts';

/** The names of a mesh, version after version. */
export class MeshNames {
  readonly #table = new NameTable();
  readonly #teller = new NameTeller();
  readonly #scopes = new ScopeTeller();

  /**
   * What differs from the version before; undefined: nothing, or there are no settings yet. `proxies` are the workloads
   * (`<namespace>/<name>`) that have one.
   */
  changesTo(
    inForce: Pick<Snapshot, 'topology' | 'policies' | 'effective' | 'scopeOf'>,
    proxies: Iterable<string>,
    settings: Pick<Settings, 'clusterDomain'> | undefined,
  ): NameChanges | undefined {
    if (settings === undefined) return undefined;
    const suffixes = meshSuffixes(settings.clusterDomain, undefined);
    const names = this.#teller.changesTo(this.#table.of(inForce.topology, suffixes), suffixes);
    if (names?.isWhole) this.#scopes.forget();
    const scopes = this.#scopes.changesTo(inForce, proxies);
    if (names === undefined && scopes === undefined) return undefined;
    const none = { isWhole: false, suffixes, changed: [], removed: [] };
    return { ...(names ?? none), scopes: scopes ?? noScopes };
  }
}

const noScopes: NameChanges['scopes'] = { scopes: [], goneScopes: [], workloads: [], goneWorkloads: [] };
