import { Zone } from '../../dns/zone.ts';
import type { NameChanges } from './name-changes.ts';

/** The names of the mesh that are served, as the compile thread tells them. */
export class ServedNames {
  #zone: Zone | undefined;

  /** Undefined until all names were told once; those of a thread that has ended stay until the next one tells its own. */
  get zone(): Zone | undefined {
    return this.#zone;
  }

  take({ isWhole, suffixes, changed, removed }: NameChanges): void {
    const zone = isWhole || this.#zone === undefined ? new Zone(suffixes) : this.#zone;
    for (const key of removed) zone.set(key, undefined);
    for (const [key, name] of changed) zone.set(key, name);
    this.#zone = zone;
  }
}
